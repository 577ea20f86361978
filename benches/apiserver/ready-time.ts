import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import type { Row } from "../bench.ts"
import { atMost, withoutGoal } from "../beside.ts"
import { type BenchProgram, fromSources, installed, neverStarted } from "../up/program.ts"
import { inTurn, min, sidesOf } from "./pair.ts"
import { prepareCertificates, type Side, start } from "./sides.ts"

const rounds = 3

/** From the start of the process to /readyz, with certificates in place and nothing stored. Theirs has its etcd started with it. */
export async function readyTime(directory: string, peers: boolean): Promise<readonly Row[]> {
  const certificates = join(directory, "pki")
  const ca = await prepareCertificates(certificates)
  const program = await installed()
  const cpu: Record<Side, number[]> = { ours: [], theirs: [] }
  const time = (one: BenchProgram) => async (side: Side) => {
    const started = performance.now()
    const server = await start(side, ca, { certificates, data: mkdtempSync(join(directory, `${side}-`)), program: one })
    await server.ready()
    const took = performance.now() - started
    cpu[side].push(server.cpu())
    await server.stop()
    return took
  }
  const uncompiled = await time(fromSources(mkdtempSync(join(directory, "cold-"))))("ours")
  const first = await time(neverStarted(program))("ours")
  cpu.ours.length = 0
  const warm = min(await inTurn(sidesOf(peers), rounds, time(program)))
  return [
    atMost(0.12, "ready after the start of the process", "ms", warm),
    withoutGoal("CPU until then", "ms", min(cpu)),
    { what: "the same, the very first time after npm ci", ours: first, unit: "ms" },
    { what: "the same from sources, nothing compiled yet", ours: uncompiled, unit: "ms" },
  ]
}
