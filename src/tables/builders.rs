//! The columns of rows that are being built.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{ArrayBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::types::ArrowPrimitiveType;
use arrow_schema::{ArrowError, SchemaRef};

use super::schema::{Selection, TableColumn};

/// Builds the columns of a table, each with the builder that its type has.
pub(super) struct ColumnBuilders {
    pub(super) selection: Selection,
    pub(super) rows: usize,
    /// About the bytes of the rows so far.
    pub(super) bytes: usize,
    schema: SchemaRef,
    builders: Vec<Box<dyn ArrayBuilder>>,
    /// The place of each column that the table has, by its number.
    places: [Option<usize>; 64],
}

impl ColumnBuilders {
    pub(super) fn new(selection: Selection) -> ColumnBuilders {
        let mut places = [None; 64];
        for (place, info) in selection.columns().enumerate() {
            places[info.column as usize] = Some(place);
        }
        ColumnBuilders {
            rows: 0,
            bytes: 0,
            schema: selection.schema(),
            builders: selection.columns().map(|info| info.builder()).collect(),
            places,
            selection,
        }
    }

    /// The builder of the column at a place. Its type must be that of `ColumnInfo::builder`.
    pub(super) fn at<B: ArrayBuilder>(&mut self, place: usize) -> &mut B {
        let builder = self.builders[place].as_any_mut().downcast_mut();
        builder.expect("a column has the builder of its type")
    }

    /// The builder of a column, if the table has it.
    pub(super) fn builder<B: ArrayBuilder>(&mut self, column: TableColumn) -> Option<&mut B> {
        let place = self.places[column as usize]?;
        Some(self.at(place))
    }

    /// Adds a value to a column of text, if the table has it.
    pub(super) fn text(&mut self, column: TableColumn, value: Option<impl AsRef<str>>) {
        if let Some(builder) = self.builder::<StringBuilder>(column) {
            builder.append_option(value);
        }
    }

    /// Adds a value to a column of numbers or dates, if the table has it.
    pub(super) fn number<T: ArrowPrimitiveType>(
        &mut self,
        column: TableColumn,
        value: Option<T::Native>,
    ) {
        if let Some(builder) = self.builder::<PrimitiveBuilder<T>>(column) {
            builder.append_option(value);
        }
    }

    /// The rows so far, which are removed.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        (self.rows, self.bytes) = (0, 0);
        let arrays = self.builders.iter_mut().map(ArrayBuilder::finish);
        RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect())
    }
}
