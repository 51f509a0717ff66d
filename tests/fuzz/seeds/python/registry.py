from functools import partial

from torchtitan.models.common import Embedding, Linear, RMSNorm
from torchtitan.protocols.model_spec import ModelSpec

from .model import Attention, FeedForward, MoE, Model, Block


def _layers(n_layers, dim, n_heads, hidden_dim, n_dense):
    layers = []
    for layer_id in range(n_layers):
        is_dense = layer_id < n_dense
        layers.append(
            Block.Config(
                attention=Attention.Config(dim=dim, n_heads=n_heads, wo=Linear.Config(bias=False)),
                feed_forward=FeedForward.Config(
                    w1=Linear.Config(in_features=dim, out_features=hidden_dim),
                    w3=Linear.Config(in_features=dim, out_features=hidden_dim),
                )
                if is_dense
                else None,
                moe=None if is_dense else MoE.Config(num_experts=16, hidden_dim=hidden_dim // 4),
            )
        )
    return layers


def _small(dim=1024):
    return Model.Config(
        dim=dim,
        tok_embeddings=Embedding.Config(num_embeddings=32000, embedding_dim=dim),
        norm=RMSNorm.Config(normalized_shape=dim),
        layers=_layers(n_layers=6, dim=dim, n_heads=dim // 64, hidden_dim=4 * dim, n_dense=2),
    )


flavors = {"small": _small, "wide": partial(_small, dim=2048)}


def model_registry(flavor):
    return ModelSpec(name="mine", flavor=flavor, model=flavors[flavor]())
