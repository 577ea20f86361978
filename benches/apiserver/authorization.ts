// What it costs to decide who may do what.
import { createApiServer, type Identity, memoryStorage } from "@pilothouse/apiserver"
import { type Transport, valueBody } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Row } from "../bench.ts"
import { quantile } from "./pair.ts"

const namespaces = 100
const perRound = 4000
const rounds = 15
/** Microseconds of CPU for the decision about one request. */
const goal = 20
/** Between a few bindings and many: as much as the least of the rounds still differs by on a busy machine. */
const flat = 3

/** How long does RBAC take to decide about a request, with a few RoleBindings and with 10,000? */
export async function authorizationInProcess(): Promise<readonly Row[]> {
  const few = await costOfDecision(namespaces)
  const many = await costOfDecision(10_000)
  const what = (bindings: string) => `CPU for the authorization of a request, ${bindings} RoleBindings, in process`
  return [
    { what: what("100"), ours: few, unit: "µs" },
    {
      what: what("10,000"),
      ours: many,
      unit: "µs",
      goal: `≤ ${goal}, and at most ${flat} more than with 100`,
      met: many <= goal && many - few <= flat,
    },
  ]
}

/** What a request of a user with a RoleBinding takes more than the same one of an administrator, about whom nothing is looked up. */
async function costOfDecision(bindings: number): Promise<number> {
  const server = createApiServer({
    clock: systemClock,
    random: systemRandom(),
    storage: memoryStorage(),
    authorizationModes: ["Node", "RBAC"],
    admission: { disable: ["ServiceAccount"] },
  })
  const admin = server.transport()
  for (let number = 0; number < namespaces; number++) await create(admin, "/api/v1/namespaces", { metadata: { name: `n${number}` } })
  for (let number = 0; number < bindings; number++) await create(admin, rbacPath(number), binding(number))
  await create(admin, "/api/v1/namespaces/n0/configmaps", { metadata: { name: "c" } })
  const user = server.transport({ name: "user-0", groups: ["dev", "system:authenticated"] } satisfies Identity)
  const differences: number[] = []
  for (let round = 0; round < rounds; round++) {
    const base = await cpuOfReads(admin)
    differences.push((await cpuOfReads(user)) - base)
  }
  await server.close()
  return Math.max(0, quantile(differences, 0.5))
}

async function cpuOfReads(transport: Transport): Promise<number> {
  const started = process.cpuUsage()
  for (let number = 0; number < perRound; number++) {
    const { status } = await transport({ verb: "GET", path: "/api/v1/namespaces/n0/configmaps/c", query: {}, headers: {} })
    if (status !== 200) throw new Error(`expected to read the ConfigMap, found ${status}`)
  }
  const { user, system } = process.cpuUsage(started)
  return (user + system) / perRound
}

function rbacPath(number: number): string {
  return `/apis/rbac.authorization.k8s.io/v1/namespaces/n${number % namespaces}/rolebindings`
}

function binding(number: number): object {
  const apiGroup = "rbac.authorization.k8s.io"
  // The system's role with the most rules that a person is given.
  const roleRef = { apiGroup, kind: "ClusterRole", name: "system:aggregate-to-view" }
  return { metadata: { name: `b${number}` }, roleRef, subjects: [{ apiGroup, kind: "User", name: `user-${number}` }] }
}

async function create(transport: Transport, path: string, body: object): Promise<void> {
  const { status } = await transport({ verb: "POST", path, query: {}, headers: {}, body: valueBody(body) })
  if (status !== 201) throw new Error(`POST ${path}: expected 201, found ${status}`)
}
