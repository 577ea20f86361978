// Both sides get the same certificates, tokens and flags; theirs needs an etcd beside it.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ensureCertificates } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { apiServerFlags, etcdFlags } from "../../tests/real/flags.ts"
import { freePorts } from "../../tests/real/free-ports.ts"
import { binary } from "../../tools/components/index.ts"
import type { BenchProgram } from "../up/program.ts"
import { adminToken } from "./load-client.ts"
import { type Program, RunningServer } from "./server.ts"

export type Side = "ours" | "theirs"

export interface StartOptions {
  /** Holds certificates and tokens, shared by all starts. */
  readonly certificates: string
  /** Holds the data of this start. */
  readonly data: string
  /** How ours is started. */
  readonly program: BenchProgram
}

export async function prepareCertificates(directory: string): Promise<string> {
  const [clock, random] = [systemClock, systemRandom()]
  const made = await ensureCertificates({ files: systemFiles, clock, random, directory, serviceIp: "10.0.0.1" })
  writeFileSync(join(directory, "tokens.csv"), `${adminToken},admin,1,"system:masters"\n`, { mode: 0o600 })
  return made.ca.certificate
}

/** Processes that have been started and are not ready yet. */
export async function start(side: Side, ca: string, options: StartOptions): Promise<RunningServer> {
  const [port = 0, client = 0, peer = 0] = await freePorts(3)
  mkdirSync(options.data, { recursive: true, mode: 0o700 })
  const flags = [...apiServerFlags({ port, etcd: client, directory: options.certificates }), "--disable-admission-plugins=ServiceAccount"]
  return new RunningServer(side === "ours" ? [ours(flags, options)] : theirs(flags, options, { client, peer }), { port, ca })
}

function ours(flags: readonly string[], { data, program }: StartOptions): Program {
  return { path: process.execPath, args: [...program.args, "apiserver", `--data-dir=${data}`, ...flags], environment: program.environment }
}

function theirs(flags: readonly string[], { data }: StartOptions, ports: { client: number; peer: number }): readonly Program[] {
  const etcd = etcdFlags({ ...ports, directory: join(data, "etcd") }).filter((flag) => flag !== "--unsafe-no-fsync")
  return [
    { path: component("etcd"), args: etcd },
    { path: component("kube-apiserver"), args: flags },
  ]
}

function component(name: string): string {
  const path = binary("kubernetes", name)
  if (path === undefined) throw new Error(`${name} is not cached: npm run components -- kubernetes builds it`)
  return path
}
