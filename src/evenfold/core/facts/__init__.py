"""Everything a report says, as plain values: of a comparison, of several data sets, of a method's card."""
