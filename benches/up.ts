// npm run bench -- up: a whole cluster in one process beside etcd, kube-apiserver, kube-controller-manager and kube-scheduler.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Bench, Row } from "./bench.ts"
import { firstDeployment } from "./up/first-deployment.ts"
import { manyPods } from "./up/many-pods.ts"
import { installed } from "./up/program.ts"

export const questions: readonly Bench[] = [
  {
    name: "how long until the first Deployment is Ready, and how large it is then",
    run: ({ peers }) => inDirectory((directory) => firstDeployment(directory, peers)),
  },
  { name: "whether 1,000 nodes with 20,000 pods keep up", long: true, run: () => inDirectory(manyPods) },
]

export const prepare = installed

async function inDirectory(measure: (directory: string) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "pilothouse-bench-"))
  return measure(directory).finally(() => rm(directory, { recursive: true, force: true }))
}
