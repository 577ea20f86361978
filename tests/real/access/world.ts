import type { ClusterRole, PolicyRule, RoleBinding, Subject } from "@pilothouse/api/rbac/v1"
import type { Draw } from "../api/draw.ts"

/** A user of a request. */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
}

/** Roles and bindings that both servers get. */
export interface World {
  readonly clusterRoles: readonly Pick<ClusterRole, "metadata" | "rules">[]
  readonly clusterRoleBindings: readonly Binding[]
  readonly roles: readonly Pick<ClusterRole, "metadata" | "rules">[]
  readonly roleBindings: readonly Binding[]
}

export type Binding = Pick<RoleBinding, "metadata" | "roleRef" | "subjects">

export const namespaces: readonly string[] = ["team-a", "team-b"]
const group = "rbac.authorization.k8s.io"
const names = ["a", "b", "c"]
const userNames = ["alice", "bob", "carol", "system:serviceaccount:team-a:robot", "system:serviceaccount:team-b:robot"]
const groupNames = ["dev", "ops", "system:serviceaccounts:team-a"]
const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
const groups = ["", "apps", "coordination.k8s.io"]
const resources = ["pods", "configmaps", "deployments", "leases", "secrets"]
const subresources = ["log", "status", "scale"]
const paths = ["/healthz", "/metrics", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/logs/x"]
const roleNames = ["r1", "r2", "r3", "r4"]

/** Draws roles, bindings and requests of a small vocabulary, so that they meet. The name of each object has the number of its world. */
export class WorldDraw {
  readonly #draw: Draw
  readonly #number: number

  constructor(draw: Draw, number: number) {
    this.#draw = draw
    this.#number = number
  }

  #named(name: string): string {
    return `${name}-${this.#number}`
  }

  world(): World {
    const draw = this.#draw
    const clusterRoles = roleNames.slice(0, 3).map((name) => ({ metadata: { name: this.#named(name) }, rules: this.#rules(true) }))
    const roles = namespaces.flatMap((namespace) =>
      roleNames.slice(0, 3).map((name) => ({ metadata: { name: this.#named(name), namespace }, rules: this.#rules(false) })),
    )
    return {
      clusterRoles,
      roles,
      clusterRoleBindings: draw.times(1, 4, () => undefined).map((_, at) => this.#binding(`cb${at}`, undefined)),
      roleBindings: namespaces.flatMap((namespace) =>
        draw.times(1, 5, () => undefined).map((_, at) => this.#binding(`rb${at}`, namespace)),
      ),
    }
  }

  #rules(cluster: boolean): readonly PolicyRule[] {
    return this.#draw.times(1, 3, () => (cluster && this.#draw.chance(0.25) ? this.#pathRule() : this.resourceRule()))
  }

  resourceRule(): PolicyRule {
    const draw = this.#draw
    const resource = () => {
      if (draw.chance(0.1)) return "*"
      if (draw.chance(0.15)) return `*/${draw.pick(subresources)}`
      return draw.chance(0.3) ? `${draw.pick(resources)}/${draw.pick([...subresources, "*"])}` : draw.pick(resources)
    }
    return {
      verbs: draw.chance(0.15) ? ["*"] : draw.some(verbs, 5),
      apiGroups: draw.chance(0.2) ? ["*"] : draw.some(groups, 2),
      resources: [...new Set(draw.times(1, 4, resource))],
      ...(draw.chance(0.2) && { resourceNames: draw.some(names, 2) }),
    }
  }

  #pathRule(): PolicyRule {
    const draw = this.#draw
    const url = () => (draw.chance(0.3) ? draw.pick(["*", "/api*", "/apis/*", "/apis/apps/**", "/logs/*"]) : draw.pick(paths))
    return { verbs: draw.chance(0.2) ? ["*"] : draw.some(["get", "post", "put", "delete"], 2), nonResourceURLs: draw.times(1, 3, url) }
  }

  #binding(name: string, namespace: string | undefined): Binding {
    const draw = this.#draw
    const kind = namespace !== undefined && draw.chance(0.5) ? "Role" : "ClusterRole"
    return {
      metadata: { name: this.#named(name), ...(namespace !== undefined && { namespace }) },
      // The last of the names is a role that does not exist.
      roleRef: { apiGroup: group, kind, name: this.#named(draw.pick(roleNames)) },
      subjects: draw.times(1, 3, () => this.#subject(namespace)),
    }
  }

  #subject(namespace: string | undefined): Subject {
    const draw = this.#draw
    if (draw.chance(0.25)) {
      const place = namespace !== undefined && draw.chance(0.5) ? undefined : draw.pick(namespaces)
      return { kind: "ServiceAccount", name: "robot", ...(place !== undefined && { namespace: place }) }
    }
    if (draw.chance(0.4)) return { kind: "Group", apiGroup: group, name: draw.pick(groupNames) }
    return { kind: "User", apiGroup: group, name: draw.pick(userNames) }
  }

  user(): User {
    const draw = this.#draw
    return { name: draw.pick(userNames), groups: draw.chance(0.4) ? [] : draw.some(groupNames, 2) }
  }

  namespace(): string {
    return this.#draw.pick(namespaces)
  }

  /** What a SubjectAccessReview asks for. */
  attributes(): object {
    const draw = this.#draw
    if (draw.chance(0.15)) return { nonResourceAttributes: { verb: draw.pick(["get", "post", "put"]), path: draw.pick(paths) } }
    const resourceAttributes = {
      verb: draw.chance(0.05) ? "*" : draw.pick(verbs),
      group: draw.pick(groups),
      resource: draw.pick(resources),
      ...(draw.chance(0.35) && { subresource: draw.pick(subresources) }),
      ...(draw.chance(0.85) && { namespace: draw.pick([...namespaces, "elsewhere"]) }),
      ...(draw.chance(0.4) && { name: draw.pick(names) }),
    }
    return { resourceAttributes }
  }

  /** A request that a server carries out or refuses. */
  request(): { readonly verb: "GET" | "DELETE"; readonly path: string; readonly query?: Readonly<Record<string, string>> } {
    const draw = this.#draw
    if (draw.chance(0.15)) return { verb: "GET", path: draw.pick(paths.filter((path) => path !== "/metrics" && path !== "/logs/x")) }
    const [prefix, plural] = draw.pick([
      ["/api/v1", "pods"],
      ["/api/v1", "configmaps"],
      ["/api/v1", "secrets"],
      ["/apis/apps/v1", "deployments"],
      ["/apis/coordination.k8s.io/v1", "leases"],
    ] as const)
    const place = draw.chance(0.85) ? `${prefix}/namespaces/${this.namespace()}/${plural}` : `${prefix}/${plural}`
    if (draw.chance(0.3) && place !== `${prefix}/${plural}`)
      return { verb: draw.pick(["GET", "DELETE"]), path: `${place}/${draw.pick(names)}` }
    return { verb: "GET", path: place, ...(draw.chance(0.3) && { query: { fieldSelector: `metadata.name=${draw.pick(names)}` } }) }
  }

  /** A role or binding that a user tries to write. */
  grant(): { readonly path: string; readonly body: object } {
    const draw = this.#draw
    const [api, namespace] = [`/apis/${group}/v1`, this.namespace()]
    const name = `try-${draw.random.int(1_000_000)}`
    if (draw.chance(0.6)) {
      const cluster = draw.chance(0.4)
      const path = cluster ? `${api}/clusterroles` : `${api}/namespaces/${namespace}/roles`
      return { path, body: { metadata: { name }, rules: draw.times(1, 2, () => this.resourceRule()) } }
    }
    const cluster = draw.chance(0.4)
    const { metadata: _named, ...binding } = this.#binding("b", cluster ? undefined : namespace)
    return {
      path: cluster ? `${api}/clusterrolebindings` : `${api}/namespaces/${namespace}/rolebindings`,
      body: { metadata: { name }, ...binding },
    }
  }
}
