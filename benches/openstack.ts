// npm run bench -- openstack: our handlers on a real Keystone, Neutron and Octavia, beside what that cloud takes for itself and what the real kuryr takes.
import { whyNot } from "../tests/openstack/cloud/packages.ts"
import type { Bench, Row } from "./bench.ts"
import { faults } from "./openstack/faults.ts"
import { type Floor, measureFloor } from "./openstack/floor.ts"
import { measureKuryr } from "./openstack/kuryr.ts"
import { type Lab, startLab } from "./openstack/lab.ts"
import { manyOnEmbedded } from "./openstack/many-on-embedded.ts"
import { coldPods, warmPods } from "./openstack/pods.ts"
import { service } from "./openstack/services.ts"
import { TheirNumbers } from "./openstack/theirs.ts"

export const questions: readonly Bench[] = [
  { name: "what pods and Services take on a real cloud, and what is left after faults", long: true, run: onRealCloud },
  { name: "how large the handlers are with 5,000 pods and 500 Services", run: manyOnEmbedded },
]

type Part = (lab: Lab, floor: Floor, theirs: TheirNumbers) => Promise<readonly Row[]>

async function onRealCloud(): Promise<readonly Row[]> {
  const reason = whyNot()
  if (reason !== undefined) {
    console.log(`  left out: ${reason}`)
    return []
  }
  await using lab = await startLab()
  const theirs = await step("the real kuryr", () => measureKuryr(lab.directory))
  if (theirs === undefined) console.log("  left out, what was seen earlier stands in: npm run components -- kuryr kubernetes gets it")
  // Right before what is held to it: the machine may be slower or faster a few minutes later.
  const floor = await step("the cloud's own cost", () => measureFloor(lab))
  console.log(`  one port ${round(floor.onePort)} ms, 50 in bulk ${round(floor.fiftyPorts)} ms, one tree ${round(floor.oneTree)} ms`)
  const rows: Row[] = [...floorRows(floor)]
  const parts: readonly [string, Part][] = [
    ["pods without a pool", coldPods],
    ["a Service", service],
    ["pods from a pool", warmPods],
    ["faults", faults],
  ]
  for (const [name, part] of parts) rows.push(...(await step(name, () => part(lab, floor, new TheirNumbers(theirs)))))
  return rows
}

function floorRows({ onePort, fiftyPorts, oneTree }: Floor): readonly Row[] {
  return [
    { what: "floor: Neutron makes one bound port", ours: onePort, unit: "ms", better: "neither" },
    { what: "floor: Neutron makes 50 bound ports, 10 per call", ours: fiftyPorts, unit: "ms", better: "neither" },
    { what: "floor: Octavia makes a tree with 10 members from one POST", ours: oneTree, unit: "ms", better: "neither" },
  ]
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  console.log(`  ${name}`)
  return work()
}

function round(value: number): number {
  return Math.round(value)
}
