import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Child } from "../child.ts"
import type { Plane } from "../control-plane.ts"
import { freePorts } from "../free-ports.ts"

const program = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url))

/** The default, as people run it: the other replica may lead this long after the last word of the first. */
export const leaseSeconds = 15

/** One process of `pilothouse run`. */
export interface Replica extends AsyncDisposable {
  readonly child: Child
  /** Of health, metrics and trace. */
  readonly port: number
  /** Warnings and errors, as it logged them. */
  readonly complaints: readonly string[]
}

export interface ReplicaOptions {
  readonly kubeconfig: string
  readonly name: string
  readonly flags?: readonly string[]
}

export async function startReplica({ directory }: Plane, { kubeconfig, name, flags = [] }: ReplicaOptions): Promise<Replica> {
  const [port = 0] = await freePorts(1)
  const complaints: string[] = []
  const child = new Child({
    name: `pilothouse run (${name})`,
    program: process.execPath,
    args: [...nodeFlags, program, "run", ...replicaFlags(directory, kubeconfig, port), `--cert-dir=${join(directory, name)}`, ...flags],
    onLine: (line) => {
      if (/"level":"(warn|error)"/.test(line) || !line.startsWith("{")) complaints.push(line)
    },
  })
  const kill = () => child.kill()
  process.once("exit", kill)
  return {
    child,
    port,
    complaints,
    async [Symbol.asyncDispose]() {
      process.removeListener("exit", kill)
      await child.stop()
    },
  }
}

const nodeFlags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning"]

function replicaFlags(directory: string, kubeconfig: string, port: number): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--secure-port=${port}`,
    `--service-account-private-key-file=${join(directory, "sa.key")}`,
    `--cluster-signing-cert-file=${join(directory, "ca.crt")}`,
    `--cluster-signing-key-file=${join(directory, "ca.key")}`,
    "--cloud-provider=memory",
    "--cluster-name=real",
    "--horizontal-pod-autoscaler-sync-period=1s",
    "--logging-format=json",
  ]
}

/** The kubeconfig of an administrator, with another token in it. */
export function kubeconfigWithToken(plane: Plane, name: string, token: string): string {
  const config = JSON.parse(readFileSync(plane.kubeconfig("admin"), "utf8"))
  config.users[0].user = { token }
  const path = join(plane.directory, `${name}.kubeconfig`)
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
  return path
}
