# One profile in full: figures, what was measured, notes, architecture, sources.
shapelint gpus p100-pcie
