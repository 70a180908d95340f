"""`skord study plan`: what a dump will take, estimated from what was seen."""
