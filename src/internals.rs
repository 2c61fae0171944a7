//! Private items of the library for the program, the tests, the benchmarks, the fuzz targets and
//! the Python package, which are separate crates. Nothing here is a stable interface.

pub mod archive {
    pub use crate::archive::ask::book::Book;
    pub use crate::archive::ask::name_list::{NameList, NameListOptions, SortedNames};
    pub use crate::archive::ask::names::{Dates, GameRow, NameCount};
    pub use crate::archive::ask::node::TreeNode;
    pub use crate::archive::ask::order::{SortKey, sort};
    pub use crate::archive::ask::players::{ChosenName, ChosenPlayers, MatchedPlayers};
    pub use crate::archive::ask::sample::sample;
    pub use crate::archive::ask::score::{Average, Performance};
    pub use crate::archive::ask::stats::{PlayerStats, Tally};
    pub use crate::archive::ask::texts::{TextOptions, texts};
    pub use crate::archive::beside::{alias_path, index_path, map_index, recovery_path};
    pub use crate::archive::dups::copies::GameCopy;
    pub use crate::archive::dups::find::{
        DupGroup, DupGroups, DupOptions, Duplicates, LONG, duplicates,
    };
    pub use crate::archive::dups::lines::DupCounts;
    pub use crate::archive::edit::edits::{EditError, Edits, FieldChange, OpeningTags};
    pub use crate::archive::edit::plan::{EditPlan, GameChange, GameEdit};
    pub use crate::archive::edit::write::write_edited;
    pub use crate::archive::fault::ArchiveFault;
    pub use crate::archive::game::Board;
    pub use crate::archive::indexing::{IndexOptions, Indexing, index};
    pub use crate::archive::join::boundary::Joiner;
    pub use crate::archive::join::convert::copy_segments;
    pub use crate::archive::join::feed::{Feed, feed, unpack_each};
    pub use crate::archive::join::identity::SkipRule;
    pub use crate::archive::join::known::{KnownGames, NewGames};
    pub use crate::archive::join::merge::{Copied, copy_archive, in_collating_order};
    pub use crate::archive::join::split::{SplitBy, SplitFile, SplitPlan};
    pub use crate::archive::lint::{LintOptions, LintSummary, lint};
    pub use crate::archive::listing::records;
    pub use crate::archive::map::map_temporary;
    pub use crate::archive::movetext::{Evaluation, PlayedMove};
    pub use crate::archive::other_files::{
        INDEX_MAGIC, begins_game, no_record, other_file, seems_to_be,
    };
    pub use crate::archive::pack::pack_indexed;
    pub use crate::archive::salvage::salvage;
    pub use crate::archive::stream::addition::{
        Addition, AdditionError, Extent, Unfinished, extent,
    };
    pub use crate::archive::stream::error::ArchiveError;
    pub use crate::archive::stream::head::{SegmentHead, SegmentTail};
    pub use crate::archive::stream::reader::{ArchivePart, ArchiveReader, OnDamage, is_archive};
    pub use crate::archive::stream::sniff::{SEARCHED, has_frame};
    pub use crate::archive::unpack::{info, list, test_deep, test_indexed};
}

pub mod block {
    pub use crate::block::annotations::{Note, NotesReader, NotesWriter};
    pub use crate::block::head::BlockHead;
    pub use crate::block::num::put_num;
    pub use crate::block::shape::{Pattern, parse};
    pub use crate::block::small::UsualLines;
    pub use crate::block::small::stream::CodedStream;
    pub use crate::block::style::{NEXTS, Style};
    pub use crate::block::template::MAX_TEMPLATE;
}

pub mod chess {
    pub use crate::chess::{BadCode, CodedLine, RangeDecoder, RangeEncoder};
    pub use crate::chess::{
        BoardError, BoardTest, BoardView, MoveTest, MovesError, NamedOpening, Opening, SanText,
        known_openings,
    };
    pub use crate::chess::{
        Check, Ending, Move, PlayedFacts, Position, Rules, Rung, Unresolved, core_len,
    };
}

pub mod foreign {
    pub use crate::foreign::export::export;
    pub use crate::foreign::game::{ExportForm, GameExport, PlayError};
    pub use crate::foreign::listing::records_in;
    pub use crate::foreign::rescue::{Rescue, rescue};
    pub use crate::foreign::sgf::read::{SgfError, SgfSummary, sgf_to_pgn};
    pub use crate::foreign::sgf::write::put_sgf;
}

pub mod index {
    pub use crate::index::internals::{
        Builder, Facts, GameSummary, IndexFrame, Integers, Section, Summaries,
    };
    pub use crate::index::{
        AliasError, ArgumentError, AskedOption, BuildOptions, Clause, Date, DateError, DateTest,
        EcoRange, EloField, Extras, Fit, GameRules, Index, IndexError, JOINS, JoinOption,
        LaterPlace, MatchedNames, NameField, NamePattern, OPTIONS, PatternError, Query,
        QueryOption, RoundPattern, Row, Test, Window, command_words, near_texts, near_words,
        read_aliases,
    };
}

pub mod io {
    pub use crate::io::dir::{DirSink, file_name, file_path};
    pub use crate::io::input::{Counter, Input, Source};
    pub use crate::io::mmap::Map;
    pub use crate::io::output::Output;
    pub use crate::io::read_at::{OpenFile, ReadAt};
    pub use crate::io::temp::TempFile;
    pub use crate::io::temp_folder::{TempFileInFolder, clear_abandoned};
    pub use crate::io::walk::{folder, folder_of};
    pub use crate::io::{
        Format, InputError, NamedWriter, is_being_written, is_named, is_truncated, lock_alone,
        mmap, named, temp_folder, walk,
    };
}

pub mod pgn {
    pub use crate::pgn::clause::{Level, Mend, Rule};
    pub use crate::pgn::eco;
    pub use crate::pgn::encoding::DecodedSource;
    pub use crate::pgn::epd::game::{GamePosition, GamePositions, Plies};
    pub use crate::pgn::epd::line::{EpdError, EpdLine, Operand, Operation};
    pub use crate::pgn::epd::list::{PositionsError, read_positions};
    pub use crate::pgn::from_ply::from_ply;
    pub use crate::pgn::game::{ElemKind, ParsedGames, Wholeness};
    pub use crate::pgn::nag::nag_name;
    pub use crate::pgn::piece_letters::{FIGURINES, LANGUAGES, PieceLetters};
    pub use crate::pgn::respell::respelled;
    pub use crate::pgn::split::{MAX_UNIT, Splitter, UnitKind};
    pub use crate::pgn::tag_column::{
        TAG_COLUMNS, TagColumn, TagValue, is_same_name, is_tag_name, iso_date,
    };
    pub use crate::pgn::text::{decoded, is_harmful};
    pub use crate::pgn::time_control::{Period, Seconds, Speed, TimeControl};
    pub use crate::pgn::writer::{Encoding, Tag, Termination, Text, Writer};
}

pub mod records {
    pub use crate::records::item::ItemError;
    pub use crate::records::marker::Marker;
    pub use crate::records::private::{EscapeKind, put_private};
    pub use crate::records::reader::{Dialect, Fault, Records, StreamError};
    pub use crate::records::record::{
        MAX_RECORD_LEN, Record, RecordError, put_moves, put_record, take_record,
    };
    pub use crate::records::structure::{MAX_RAV_DEPTH, StructureError};
    pub use crate::records::writer::WriteError;
    pub use crate::records::{ReadError, RecordStream, RecordWriter};
}

pub mod recovery {
    pub use crate::recovery::error::RecoveryError;
    pub use crate::recovery::protect::{Protection, protect};
    pub use crate::recovery::repair::{Cover, Harm, Repair};
}

pub mod run {
    pub use crate::run::{Breakdown, StoredBytes, add_count};
}

#[cfg(feature = "arrow")]
pub mod tables {
    pub use crate::tables::batches::{TableOptions, batches};
    #[cfg(feature = "parquet")]
    pub use crate::tables::parquet::ParquetFile;
    pub use crate::tables::schema::{ColumnGroup, NoSuchColumn, Selection, TableKind};
}
