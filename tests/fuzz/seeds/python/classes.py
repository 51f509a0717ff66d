from gemma.gm.nn import _config
from gemma.gm.nn import _modules
from gemma.gm.nn import _transformer

_NUM_LAYERS_SMALL = 26
PATTERN = (_modules.AttentionType.LOCAL_SLIDING,) * 5 + (_modules.AttentionType.GLOBAL,)


class Gemma2_2B(_transformer.Transformer):
    config: _config.TransformerConfig = _config.TransformerConfig(
        num_embed=256128,
        embed_dim=2304,
        hidden_dim=9216,
        num_heads=8,
        head_dim=256,
        num_kv_heads=4,
        attention_types=(_modules.AttentionType.LOCAL_SLIDING, _modules.AttentionType.GLOBAL)
        * int(_NUM_LAYERS_SMALL / 2),
        use_post_attn_norm=True,
    )


class Gemma3_1B(_transformer.Transformer):
    config: _config.TransformerConfig = _config.TransformerConfig(
        num_embed=262144,
        embed_dim=1152,
        hidden_dim=6 * 1152,
        num_heads=4,
        head_dim=256,
        num_kv_heads=1,
        use_qk_norm=True,
        attention_types=_config.make_attention_layers_types(PATTERN, num_layers=_NUM_LAYERS_SMALL),
    )
