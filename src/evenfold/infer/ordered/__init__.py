"""What differences in the order of time say: of forecasts along a path, of a method, of many forecasters."""
