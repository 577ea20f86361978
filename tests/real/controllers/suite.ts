// npm run test:real -- controllers: the real kube-controller-manager and ours in turn, each on a fresh real API server, with the same objects at the end;
// and the names of its controllers beside ours.
import { execFileSync, spawnSync } from "node:child_process"
import { deepEqual } from "@pilothouse/api"
import { isCloudController } from "@pilothouse/cloud"
import { controllers, createControllers } from "@pilothouse/controllers"
import { createClient, createManager, defaultTransport, retrying } from "@pilothouse/runtime"
import { silentLog, stringifyJson } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { binary } from "../../../tools/components/index.ts"
import { type ControlPlane, startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { launcher } from "../up-cluster.ts"
import { type Chapter, story } from "./story.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

/** Without the controller of service accounts nothing creates those that this plugin requires. */
const apiServerFlags = ["--disable-admission-plugins=ServiceAccount"]

const compared = [
  "endpointslice-mirroring-controller",
  "persistentvolume-attach-detach-controller",
  "persistentvolume-binder-controller",
  "persistentvolume-expander-controller",
  "service-cidr-controller",
]

async function run({ tally }: SuiteContext): Promise<void> {
  await tally.group("the names of the controllers", async (group) => compareNames(group))
  await tally.group("the same objects at the end", async (group) => {
    const theirs = await underTheirs()
    const own = await underOurs()
    for (const { name, end } of theirs) {
      const found = own.find((chapter) => chapter.name === name)?.end
      group.case(name, deepEqual(found, end) ? undefined : `theirs: ${stringifyJson(end)}\nours:   ${stringifyJson(found)}`)
    }
  })
}

/** `--controllers` of ours has to know every name that the program has, and ours to be on where its are. */
function compareNames(group: Group): void {
  const help = execFileSync(binary("kubernetes", "kube-controller-manager")!, ["--help"], { encoding: "utf8", maxBuffer: 1 << 24 })
  const listed = (label: string) =>
    (new RegExp(`${label}: ([a-z0-9, -]+)`).exec(help)?.[1] ?? "").split(",").map((name) => name.trim().split(" ")[0]!)
  const ours = new Map(controllers.map((entry) => [entry.name, entry]))
  const theirs = listed("All controllers")
  group.case("the program lists its controllers", theirs.length > 40 ? undefined : `found ${theirs.join()}`)
  const refusal = refusalOf(theirs)
  group.case("every controller is known", refusal.includes("/nowhere") ? undefined : refusal)
  const gates = new Map(Array.from(help.matchAll(/kube:(\w+)=true\|false \((\w+) - default=(\w+)\)/g), ([, gate, ...what]) => [gate, what]))
  const off = new Set(listed("Disabled-by-default controllers"))
  const isOn = (name: string) => !off.has(name) && gates.get(ours.get(name)?.featureGate?.name)?.[1] !== "false"
  const wrong = theirs.filter((name) => ours.get(name) !== undefined && ours.get(name)!.onByDefault !== isOn(name))
  group.case("the same are on by default", wrong.length === 0 ? undefined : wrong.join())
  const absent = theirs.filter((name) => !ours.has(name) && !isCloudController(name))
  group.case("none is absent", absent.length === 0 ? undefined : absent.join())
  const guards = controllers.flatMap(({ featureGate }) => featureGate ?? [])
  const unlike = guards.filter(({ name, maturity }) => gates.get(name)?.[0]?.toLowerCase() !== maturity)
  group.case("gates of controllers are as mature", unlike.length === 0 ? undefined : unlike.map(({ name }) => name).join())
}

/** Names are checked before the kubeconfig is read: a refusal that names its path has passed them. */
function refusalOf(names: readonly string[]): string {
  return spawnSync(process.execPath, [launcher, "run", `--controllers=${names}`, "--kubeconfig=/nowhere"], { encoding: "utf8" }).stderr
}

async function underTheirs(): Promise<readonly Chapter[]> {
  await using plane = await startControlPlane({ apiServerFlags })
  await plane.startControllerManager([`--controllers=${compared.join()}`])
  return await tell(plane)
}

async function underOurs(): Promise<readonly Chapter[]> {
  await using plane = await startControlPlane({ apiServerFlags })
  const connection = await defaultTransport({ kubeconfig: plane.kubeconfig("admin"), clock: systemClock })
  const stopping = new AbortController()
  const manager = createManager({
    controllers: createControllers({ select: compared }),
    transport: connection.transport,
    clock: systemClock,
    random: systemRandom(),
    log: silentLog,
    grace: 300,
  })
  const running = manager.run(stopping.signal)
  try {
    return await tell(plane)
  } finally {
    stopping.abort()
    await running
    await connection.close()
  }
}

async function tell(plane: ControlPlane): Promise<readonly Chapter[]> {
  const connection = await defaultTransport({ kubeconfig: plane.kubeconfig("admin"), clock: systemClock })
  try {
    return await story(createClient(retrying(connection.transport, { clock: systemClock, random: systemRandom() }), { userAgent: "story" }))
  } finally {
    await connection.close()
  }
}
