//! A `.pgc` file as a whole: segments of blocks (spec/extension.md sections 3 to 6).
