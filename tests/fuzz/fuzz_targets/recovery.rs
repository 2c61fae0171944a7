//! Takes any bytes as recovery data, and repairs with them. Checksums are off.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::NoHooks;
use pgc::recovery::repair::Repair;

fuzz_target!(|data: &[u8]| {
    // The first half is what is protected.
    let (bytes, recovery) = data.split_at(data.len() / 2);
    let Ok(repair) = Repair::new(&bytes, &recovery, &mut NoHooks) else {
        return;
    };
    let harm = repair.harm();
    assert!(harm.lost <= harm.damaged.len() as u64 && harm.damaged.len() as u64 <= harm.shards);
    // Without checksums it may restore anything, but that shows in the digest.
    drop(repair.write(&mut Vec::new(), &mut NoHooks));
});
