#!/usr/bin/env python3
"""Our factorisation beside scikit-learn's, on one thread and the same matrix, in one run.

    scripts/nmf_beside_sklearn.py WELLREAD [--data DIR] [--rank 100] [--sweeps 10] [--repeat 3]

WELLREAD is the binary. Needs scikit-learn and scipy. Prints one JSON object: seconds and residual of both, and the ratio
of seconds, each the best of the repeats.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings

# Before numpy is loaded, or it takes every core.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy
import scipy.sparse
import sklearn
from sklearn.decomposition import NMF


def ours(args, matrix):
    command = [args.wellread, "lab", "buzz", "--synthetic", "light", "--rank", str(args.rank), "--json"]
    command += ["--experiment", "nmf", "--matrix", matrix]
    if args.data:
        command += ["--data", args.data]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["rows"]
    same = [row for row in rows if row["what"] == "no penalty" and row["threads"] == 1 and row["sweeps"] == args.sweeps]
    return same[0]


def read(path):
    with open(path) as file:
        rows, columns, _ = map(int, file.readline().split(","))
        entries = numpy.loadtxt(file, delimiter=",")
    place = (entries[:, 0].astype(int), entries[:, 1].astype(int))
    return scipy.sparse.csr_matrix((entries[:, 2].astype(numpy.float32), place), shape=(rows, columns))


def theirs(args, x):
    warnings.simplefilter("ignore")
    model = NMF(args.rank, init="random", solver="cd", max_iter=args.sweeps, tol=0, random_state=1)
    began = time.process_time()
    w = model.fit_transform(x)
    seconds = time.process_time() - began
    h = model.components_
    square = x.multiply(x).sum() - 2 * (w * (x @ h.T)).sum() + ((w.T @ w) * (h @ h.T)).sum()
    return {"seconds": seconds, "residual": float(square) ** 0.5}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wellread")
    parser.add_argument("--data")
    parser.add_argument("--rank", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        matrix = os.path.join(folder, "matrix.csv")
        runs = [(ours(args, matrix), theirs(args, read(matrix))) for _ in range(args.repeat)]
    mine = min((run[0] for run in runs), key=lambda run: run["seconds"])
    other = min((run[1] for run in runs), key=lambda run: run["seconds"])
    print(json.dumps({
        "sklearn": sklearn.__version__,
        "wellread": {"seconds": mine["seconds"], "residual": mine["residual"]},
        "scikit-learn": other,
        "ratio": mine["seconds"] / other["seconds"],
        "residual_ratio": mine["residual"] / other["residual"],
    }))


main()
