#!/usr/bin/env python3
"""One training step of a small transformer, from random weights: every kernel of the process is the step's.

    warpmem record -o step.wmt -- python3 tests/benchmarks/torch_step.py [layers]

Wants PyTorch and a GPU. docs/measurements/sampling.md has what a replay, in full and sampled, says of it.
"""
import sys

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, BATCH, LENGTH, WORDS = 256, 4, 8, 256, 4096


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        parts = self.qkv(self.norm_1(x)).view(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        return x + self.down(functional.gelu(self.up(self.norm_2(x))))


def main():
    layers = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    torch.manual_seed(1)
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), *[Block() for _ in range(layers)], nn.LayerNorm(WIDTH),
                          nn.Linear(WIDTH, WORDS, bias=False))
    words, wanted = (torch.randint(0, WORDS, (BATCH, LENGTH)) for _ in range(2))
    model, words, wanted = model.cuda(), words.cuda(), wanted.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = functional.cross_entropy(model(words).view(-1, WORDS), wanted.view(-1))
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()
    print("loss", loss.item())


main()
