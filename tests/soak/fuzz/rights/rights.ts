import { createApiServer } from "@pilothouse/apiserver"
import {
  type Body,
  type Query,
  type Random,
  seededRandom,
  type Transport,
  type TransportResponse,
  type Verb,
  VirtualClock,
  valueBody,
} from "@pilothouse/seams"
import { described } from "../fuzzer.ts"
import { isAllowed, type Model, type ModelBinding, type ModelRequest, type ModelRule, type ModelSubject, type ModelUser } from "./model.ts"

const rbac = "/apis/rbac.authorization.k8s.io/v1"
const namespaces = ["a", "b", "c"]
const names = ["one", "two", "three"]
/** Stands in every object, and in no answer to a user without the right to read it. */
const marker = "not-for-every-eye"

const users: readonly ModelUser[] = [
  { name: "jane", groups: ["dev"] },
  { name: "joe", groups: ["dev", "ops"] },
  { name: "eve", groups: [] },
  { name: "system:serviceaccount:a:robot", groups: ["system:serviceaccounts", "system:serviceaccounts:a"] },
  { name: "system:serviceaccount:b:robot", groups: ["system:serviceaccounts", "system:serviceaccounts:b"] },
].map(({ name, groups }) => ({ name, groups: [...groups, "system:authenticated"] }))

interface Kind {
  readonly group: string
  readonly plural: string
  readonly path: (namespace: string) => string
  readonly isNamespaced: boolean
  readonly object: (name: string) => object
}

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
const metadata = (name: string) => ({ name, annotations: { marker } })
const kinds: readonly Kind[] = [
  namespaced("", "configmaps", (name) => ({ metadata: metadata(name), data: { marker } })),
  namespaced("", "secrets", (name) => ({ metadata: metadata(name), stringData: { marker } })),
  namespaced("apps", "deployments", (name) => ({
    metadata: metadata(name),
    spec: { selector: { matchLabels: { a: "b" } }, template },
  })),
  {
    group: "",
    plural: "nodes",
    path: () => "/api/v1/nodes",
    isNamespaced: false,
    object: (name) => ({ metadata: metadata(name) }),
  },
]

function namespaced(group: string, plural: string, object: Kind["object"]): Kind {
  const root = group === "" ? "/api/v1" : `/apis/${group}/v1`
  return {
    group,
    plural,
    path: (namespace) => `${root}/${namespace === "" ? "" : `namespaces/${namespace}/`}${plural}`,
    isNamespaced: true,
    object,
  }
}

interface Request {
  readonly asked: ModelRequest
  readonly verb: Verb
  readonly path: string
  readonly query: Query
  readonly body?: Body
  readonly headers: Readonly<Record<string, string>>
}

/** One server whose users have rights that change, and requests of them. Each call answers with what was wrong, or undefined. */
export async function rightsFuzzer(random: Random): Promise<() => Promise<string | undefined>> {
  const server = createApiServer({ clock: new VirtualClock(), random: seededRandom(1), authorizationModes: ["Node", "RBAC"] })
  const world = new World(random, server.transport())
  await world.start()
  return async () => {
    if (random.int(5) === 0) await world.changeRights()
    const user = pick(random, users)
    const request = drawRequest(random)
    const mayPass = isAllowed(world.model, user, request.asked)
    const { asked: _asked, ...sent } = request
    const before = mayPass ? "" : await world.state()
    const leaving = new AbortController()
    const response = await server.transport(user)({ ...sent, signal: leaving.signal })
    const fault =
      faultIn(response, mayPass) ?? (mayPass || before === (await world.state()) ? undefined : "a refused request has changed something")
    leaving.abort()
    if (mayPass && sent.verb === "DELETE") await world.fill()
    return fault && `${fault}: ${user.name} asked ${described(sent)}; rights ${JSON.stringify([...world.model.bindings.values()])}`
  }
}

function faultIn({ status, body }: TransportResponse, mayPass: boolean): string | undefined {
  const value = body.type === "value" ? JSON.stringify(body.value) : ""
  const isRefused = status === 403 && value.includes(" cannot ")
  if (isRefused === mayPass) return mayPass ? `a right is not honoured (${value})` : `answered ${status} without the right`
  return isRefused && value.includes(marker) ? "a refusal shows what may not be read" : undefined
}

function drawRequest(random: Random): Request {
  const kind = pick(random, kinds)
  const isAcross = random.int(6) === 0 || !kind.isNamespaced
  const namespace = isAcross ? "" : pick(random, namespaces)
  const collection = kind.path(namespace)
  const made = (verb: string, name: string, sent: Partial<Request> & Pick<Request, "verb">, subresource = ""): Request => ({
    asked: { verb, group: kind.group, resource: `${kind.plural}${subresource}`, namespace, name },
    path: `${collection}${name === "" || sent.query?.fieldSelector !== undefined ? "" : `/${name}`}${subresource}`,
    query: {},
    headers: {},
    ...sent,
  })
  const name = pick(random, names)
  const one = { fieldSelector: `metadata.name=${name}` }
  const object = () => valueBody(kind.object(name))
  const merge = { "content-type": "application/merge-patch+json" }
  const ofAll = [
    () => made("list", "", { verb: "GET" }),
    () => made("list", name, { verb: "GET", query: one }),
    () => made("watch", "", { verb: "GET", query: { watch: "true" } }),
    () => made("watch", name, { verb: "GET", query: { watch: "1", ...one } }),
  ]
  const isPlace = !kind.isNamespaced || namespace !== ""
  const ofPlaces = [
    () => made("get", name, { verb: "GET" }),
    () => made("get", name, { verb: "GET" }),
    () => made("create", "", { verb: "POST", body: object() }),
    () => made("update", name, { verb: "PUT", body: object() }),
    () => made("patch", name, { verb: "PATCH", headers: merge, body: valueBody({ metadata: { labels: { x: "y" } } }) }),
    () => made("delete", name, { verb: "DELETE" }),
    () => made("deletecollection", "", { verb: "DELETE" }),
    ...(kind.plural === "deployments"
      ? [
          () => made("get", name, { verb: "GET" }, "/scale"),
          () => made("patch", name, { verb: "PATCH", headers: merge, body: valueBody({ spec: { replicas: 2 } }) }, "/scale"),
          () => made("get", name, { verb: "GET" }, "/status"),
        ]
      : []),
  ]
  return pick(random, isPlace ? [...ofAll, ...ofPlaces] : ofAll)()
}

/** The objects, the rights, and the model of them. Invariant between calls: the model has what the administrator has written. */
class World {
  readonly model: Model = { roles: new Map(), bindings: new Map() }
  readonly #random: Random
  readonly #admin: Transport

  constructor(random: Random, admin: Transport) {
    this.#random = random
    this.#admin = admin
  }

  async start(): Promise<void> {
    for (const name of namespaces) await this.#send("POST", "/api/v1/namespaces", { metadata: { name } })
    await this.fill()
    for (let count = 0; count < 12; count++) await this.changeRights()
  }

  /** Creates the objects that are not there. */
  async fill(): Promise<void> {
    for (const kind of kinds) {
      for (const namespace of kind.isNamespaced ? namespaces : [""]) {
        for (const name of names) await this.#send("POST", kind.path(namespace), kind.object(name))
      }
    }
  }

  /** The revisions of all objects. */
  async state(): Promise<string> {
    const lists = await Promise.all(kinds.map((kind) => this.#send("GET", kind.path(""))))
    return lists.map(({ body }) => revisionsIn(body)).join(";")
  }

  /** Writes or deletes a role or a binding. */
  async changeRights(): Promise<void> {
    const random = this.#random
    const namespace = random.int(3) === 0 ? "" : pick(random, namespaces)
    const name = pick(random, names)
    return random.int(2) === 0 ? this.#changeRole(namespace, `role-${name}`) : this.#changeBinding(namespace, `binding-${name}`)
  }

  async #changeRole(namespace: string, name: string): Promise<void> {
    const path = namespace === "" ? `${rbac}/clusterroles` : `${rbac}/namespaces/${namespace}/roles`
    await this.#send("DELETE", `${path}/${name}`)
    this.model.roles.delete(`${namespace}/${name}`)
    if (this.#random.int(5) === 0) return
    const rules = some(this.#random, 3, () => drawRule(this.#random))
    await this.#send("POST", path, { metadata: { name }, rules })
    this.model.roles.set(`${namespace}/${name}`, rules)
  }

  async #changeBinding(namespace: string, name: string): Promise<void> {
    const random = this.#random
    const path = namespace === "" ? `${rbac}/clusterrolebindings` : `${rbac}/namespaces/${namespace}/rolebindings`
    await this.#send("DELETE", `${path}/${name}`)
    this.model.bindings.delete(`${namespace}/${name}`)
    if (random.int(4) === 0) return
    const kind = namespace === "" || random.int(2) === 0 ? "ClusterRole" : "Role"
    const role: ModelBinding["role"] = { kind, name: `role-${pick(random, names)}` }
    const subjects = some(random, 2, () => drawSubject(random))
    const apiGroup = "rbac.authorization.k8s.io"
    const written = subjects.map((subject) => (subject.kind === "ServiceAccount" ? subject : { ...subject, apiGroup }))
    await this.#send("POST", path, { metadata: { name }, roleRef: { apiGroup, ...role }, subjects: written })
    this.model.bindings.set(`${namespace}/${name}`, { namespace, role, subjects })
  }

  async #send(verb: Verb, path: string, body?: object): Promise<TransportResponse> {
    const answer = await this.#admin({ verb, path, query: {}, headers: {}, ...(body !== undefined && { body: valueBody(body) }) })
    // What exists already, or is gone, needs nothing.
    if (answer.status >= 400 && answer.status !== 404 && answer.status !== 409)
      throw new Error(`${verb} ${path}: answered ${answer.status}`)
    return answer
  }
}

interface Listed {
  readonly items?: readonly { readonly metadata: { readonly uid?: string; readonly resourceVersion?: string } }[]
}

function revisionsIn(body: TransportResponse["body"]): string {
  const { items = [] } = (body.type === "value" ? body.value : {}) as Listed
  return items.map(({ metadata: { uid, resourceVersion } }) => `${uid}@${resourceVersion}`).join()
}

const ruleVerbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"]
const ruleResources = [
  "configmaps",
  "secrets",
  "deployments",
  "nodes",
  "deployments/scale",
  "deployments/status",
  "*/scale",
  "deployments/*",
  "*",
]

function drawRule(random: Random): ModelRule {
  const rule = {
    verbs: some(random, 4, () => pick(random, ruleVerbs)),
    apiGroups: some(random, 2, () => pick(random, ["", "apps", "batch", "*"])),
    resources: some(random, 3, () => pick(random, ruleResources)),
  }
  return random.int(4) === 0 ? { ...rule, resourceNames: some(random, 2, () => pick(random, names)) } : rule
}

function drawSubject(random: Random): ModelSubject {
  const way = random.int(3)
  if (way === 0) return { kind: "User", name: pick(random, users).name }
  if (way === 1) return { kind: "Group", name: pick(random, ["dev", "ops", "system:serviceaccounts:a", "system:serviceaccounts"]) }
  return { kind: "ServiceAccount", name: "robot", namespace: pick(random, namespaces) }
}

function some<T>(random: Random, max: number, make: () => T): readonly T[] {
  return Array.from({ length: 1 + random.int(max) }, make)
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.int(list.length)]!
}
