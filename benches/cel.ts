// npm run bench -- cel: how fast are expressions and validation rules, beside cel-go in the environment of kube-apiserver? Ratios say how many
// times as fast ours is as theirs.
import type { Bench } from "./bench.ts"
import { evaluations } from "./cel/evaluations.ts"

export const questions: readonly Bench[] = [
  { name: "how fast expressions and rules are, beside cel-go", run: ({ peers }) => evaluations(peers) },
]
