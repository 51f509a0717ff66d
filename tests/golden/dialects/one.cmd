shapelint formats nanogpt deepspeed
shapelint formats megatrn
