"""Damages archives in many ways and counts the games that `pgc salvage` brings back.

    python3 benches/damage.py target/release/pgc games.pgc games.pgcz

What should come back is counted from the heads of the undamaged blocks, found here without pgc.
"""
import json
import random
import subprocess
import sys
import tempfile
import time

PGC = sys.argv[1]
OUT = tempfile.mkdtemp()
SYNC = bytes.fromhex('9d706763b7c5a9e3')
def unstuff(d):
    out=bytearray(); i=0
    while i<len(d):
        b=d[i]
        if b==0xfa: out.append(10)
        elif b==0xfd: out.append(13)
        elif b==0xfe:
            i+=1; out.append({0:0xfa,1:0xfd,2:0xfe}[d[i]])
        else: out.append(b)
        i+=1
    return bytes(out)
def num(d,i):
    b=d[i]
    if b<0xf0: return b,i+1
    if b<0xff: return 240+256*(b-0xf0)+d[i+1],i+2
    i+=1; v=s=0
    while True:
        v|=(d[i]&127)<<s; s+=7; i+=1
        if not d[i-1]&128: return 4080+v,i
def blocks(a):
    res=[]; at=0
    while True:
        k=a.find(b'pgcB'+SYNC,at)
        if k<0: break
        n=int.from_bytes(a[k-2:k],'little'); d=unstuff(a[k:k+n]); i=12; v=[]
        for _ in range(5):
            x,i=num(d,i); v.append(x)
        res.append([k-3,None,v[1]]); at=k+n
    tail=a.rfind(b'pgcE')-3
    for j in range(len(res)): res[j][1]=res[j+1][0] if j+1<len(res) else tail
    return res
def run(*args):
    t=time.time(); p=subprocess.run([PGC,*args],capture_output=True,text=True); return p,time.time()-t
rng=random.Random(7)
for name in sys.argv[2:]:
    a=open(name,'rb').read(); bl=blocks(a); total=sum(b[2] for b in bl)
    ext=name.rsplit('.',1)[1]
    def hitset(ranges): return sum(b[2] for b in bl if not any(r[0]<b[1] and b[0]<r[1] for r in ranges))
    cases=[]
    for n in (1,10,100):
        d=bytearray(a); rs=[]
        for _ in range(n):
            l=rng.randint(1,4096); p=rng.randrange(len(a)-l); d[p:p+l]=rng.randbytes(l); rs.append((p,p+l))
        cases.append((f'{n} random',bytes(d),rs))
    m=len(a)//2
    cases.append(('1 MB zeroed',a[:m]+bytes(10**6)+a[m+10**6:],[(m,m+10**6)]))
    cases.append(('first 4 KB gone',a[4096:],[(0,4096)]))
    cases.append(('first 1 MB gone',a[10**6:],[(0,10**6)]))
    cases.append(('cut at half',a[:m],[(m,len(a))]))
    cases.append(('LF -> CRLF',a.replace(b'\n',b'\r\n'),[]))
    cases.append(('100 KB removed',a[:m]+a[m+100000:],[(m,m+100000)]))
    print(name,len(a),'bytes',len(bl),'blocks',total,'games')
    for what,d,rs in cases:
        src=f'{OUT}/broken.{ext}'; out=f'{OUT}/saved.{ext}'
        open(src,'wb').write(d)
        p,t=run('salvage','-q','-f','--no-index','--json',src,'-o',out)
        q,_=run('test','-q','--json',out)
        j=json.loads(q.stdout); got=sum(s['games'] for s in j['sources'])
        r,u=run('test','-q','--json',src)
        exp=hitset(rs)
        print(f'  {what:18} undamaged {exp:7} salvaged {got:7} {"ok" if exp==got and q.returncode==0 else "WRONG"}  salvage {t:.2f} s test {u:.2f} s  exit {p.returncode} {r.returncode}')
