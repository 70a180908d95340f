"""Write the record of what the compiled reading of pages makes."""

import json

from tests.golden.test_record import RECORD, made_record

RECORD.write_text(json.dumps(made_record(), indent=0, ensure_ascii=False) + "\n")
