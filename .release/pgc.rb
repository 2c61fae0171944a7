# A Homebrew formula. `.release/make` replaces the names between @ signs.
class Pgc < Formula
  desc "Chess archives: PGN to PGC and back to the byte, with an index"
  homepage "@URL@"
  url "@URL@/pgc-@VERSION@-source.tar.gz"
  sha256 "@SOURCE_SHA256@"
  license "GPL-3.0-or-later"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(features: "parquet")
    system bin/"pgc", "man", "--out-dir", "man"
    man1.install Dir["man/*.1"]
    generate_completions_from_executable(bin/"pgc", "completions")
  end

  test do
    (testpath/"a.pgn").write "[White \"A\"]\n\n1. e4 e5 *\n"
    system bin/"pgc", "pack", "a.pgn"
    assert_equal (testpath/"a.pgn").read, shell_output("#{bin}/pgc unpack -c a.pgc")
    assert_match "A", shell_output("#{bin}/pgc find a.pgc --moves 1.e4")
  end
end
