import { readMember, readText } from "../calls/answer.ts"
import type { CallOptions } from "../calls/collection.ts"
import { CollectionCalls } from "../calls/collection-calls.ts"
import { isRefusal } from "../calls/errors.ts"
import type { ServiceCalls } from "../calls/service-calls.ts"
import type { Neutron, Ports, Routers, Trunks } from "./neutron.ts"
import type * as wire from "./types.ts"
import type { TaggedKind } from "./types.ts"

export interface NeutronClientOptions {
  readonly calls: ServiceCalls
  readonly pageSize: number
}

/** Creates a client of Neutron's API v2.0; lists are read page by page. */
export function neutronClient({ calls, pageSize }: NeutronClientOptions): Neutron {
  const place = (path: string, one: string, many = `${one}s`) => ({ calls, path: `/v2.0/${path}`, one, many, pageSize })
  return {
    networks: new CollectionCalls<wire.Network, wire.NewNetwork>(place("networks", "network")),
    subnets: new CollectionCalls<wire.Subnet, wire.NewSubnet>(place("subnets", "subnet")),
    ports: new PortCalls(place("ports", "port")),
    trunks: new TrunkCalls(place("trunks", "trunk")),
    securityGroups: new CollectionCalls<wire.SecurityGroup, wire.NewSecurityGroup>(place("security-groups", "security_group")),
    securityGroupRules: new CollectionCalls<wire.SecurityGroupRule, wire.NewSecurityGroupRule>(
      place("security-group-rules", "security_group_rule"),
    ),
    floatingIps: new CollectionCalls<wire.FloatingIp, wire.NewFloatingIp>(place("floatingips", "floatingip")),
    routers: new RouterCalls(place("routers", "router")),
    ...tagCalls(calls),
    ...quotaCalls(calls),
    extensions: async (options) => readExtensions(calls, options),
  }
}

/** Milliseconds that one more port in a call may take. Neutron creates them one after the other, and continues when the client has gone. */
const perPort = 12_000

class PortCalls extends CollectionCalls<wire.Port, wire.NewPort, wire.PortChange> implements Ports {
  async createMany(requested: readonly wire.NewPort[], options?: CallOptions): Promise<readonly wire.Port[]> {
    if (requested.length === 0) return []
    const { calls, path } = this.place
    const timeout = options?.timeout ?? (`${(calls.timeout + perPort * (requested.length - 1)) / 1000}s` as const)
    const { value } = await calls.send({
      verb: "POST",
      path,
      body: { ports: requested },
      repeatable: false,
      options: { ...options, timeout },
    })
    return readMember(value, "ports") as readonly wire.Port[]
  }
}

class TrunkCalls extends CollectionCalls<wire.Trunk, wire.NewTrunk, { name?: string; admin_state_up?: boolean }> implements Trunks {
  addSubports(trunk: string, ports: readonly wire.SubPort[], options?: CallOptions): Promise<wire.Trunk> {
    return this.#subports(trunk, "add_subports", ports, options)
  }

  removeSubports(trunk: string, ports: readonly string[], options?: CallOptions): Promise<wire.Trunk> {
    const named = ports.map((port_id) => ({ port_id }))
    return this.#subports(trunk, "remove_subports", named, options)
  }

  /** Repeated they would be refused: the first one may have been carried out. The answer is the trunk without a wrapper. */
  async #subports(trunk: string, action: string, sub_ports: readonly unknown[], options?: CallOptions): Promise<wire.Trunk> {
    const path = `${this.at(trunk)}/${action}`
    return (await this.place.calls.send({ verb: "PUT", path, body: { sub_ports }, repeatable: false, options })).value as wire.Trunk
  }
}

class RouterCalls extends CollectionCalls<wire.Router, wire.NewRouter> implements Routers {
  addInterface(router: string, subnet: string, options?: CallOptions): Promise<void> {
    return this.#interface(router, "add_router_interface", subnet, options)
  }

  removeInterface(router: string, subnet: string, options?: CallOptions): Promise<void> {
    return this.#interface(router, "remove_router_interface", subnet, options)
  }

  async #interface(router: string, action: string, subnet_id: string, options?: CallOptions): Promise<void> {
    await this.place.calls.send({ verb: "PUT", path: `${this.at(router)}/${action}`, body: { subnet_id }, repeatable: false, options })
  }
}

function quotaCalls(calls: ServiceCalls): Pick<Neutron, "quota" | "setQuota"> {
  return {
    async quota(project, options) {
      const path = `/v2.0/quotas/${encodeURIComponent(project)}/details.json`
      return readMember((await calls.send({ verb: "GET", path, repeatable: true, options })).value, "quota") as Record<
        string,
        wire.QuotaUse
      >
    },
    async setQuota(project, quota, options) {
      await calls.send({ verb: "PUT", path: `/v2.0/quotas/${encodeURIComponent(project)}`, body: { quota }, repeatable: true, options })
    },
  }
}

async function readExtensions(calls: ServiceCalls, options?: CallOptions): Promise<ReadonlySet<string>> {
  const { value } = await calls.send({ verb: "GET", path: "/v2.0/extensions", repeatable: true, options })
  const found = readMember(value, "extensions")
  return new Set(Array.isArray(found) ? found.map((extension) => readText(extension, "alias")) : [])
}

/** Tags of all kinds of objects. */
function tagCalls(calls: ServiceCalls): Pick<Neutron, "setTags" | "addTag" | "removeTag"> {
  const tags = new TagCalls(calls)
  return {
    setTags: (kind, id, requested, options) => tags.set(kind, id, requested, options),
    addTag: (kind, id, tag, options) => tags.add(kind, id, tag, options),
    removeTag: (kind, id, tag, options) => tags.remove(kind, id, tag, options),
  }
}

class TagCalls {
  readonly #calls: ServiceCalls

  constructor(calls: ServiceCalls) {
    this.#calls = calls
  }

  async set(kind: TaggedKind, id: string, tags: readonly string[], options?: CallOptions): Promise<readonly string[]> {
    const { value } = await this.#calls.send({ verb: "PUT", path: tagPath(kind, id), body: { tags }, repeatable: true, options })
    return readMember(value, "tags") as readonly string[]
  }

  async add(kind: TaggedKind, id: string, tag: string, options?: CallOptions): Promise<void> {
    if (fitsPath(tag)) await this.#calls.send({ verb: "PUT", path: tagPath(kind, id, tag), repeatable: true, options })
    else await this.#changeAll(kind, id, (tags) => (tags.includes(tag) ? tags : [...tags, tag]), options)
  }

  async remove(kind: TaggedKind, id: string, tag: string, options?: CallOptions): Promise<void> {
    if (!fitsPath(tag)) return this.#changeAll(kind, id, (tags) => tags.filter((one) => one !== tag), options)
    try {
      await this.#calls.send({ verb: "DELETE", path: tagPath(kind, id, tag), repeatable: true, options })
    } catch (error) {
      // "TagNotFound" is success; that the object itself is gone is not.
      if (!isRefusal(error, "not-found") || !error.refusal.type.startsWith("Tag")) throw error
    }
  }

  async #changeAll(
    kind: TaggedKind,
    id: string,
    change: (tags: readonly string[]) => readonly string[],
    options?: CallOptions,
  ): Promise<void> {
    const { value } = await this.#calls.send({ verb: "GET", path: tagPath(kind, id), repeatable: true, options })
    const tags = readMember(value, "tags") as readonly string[]
    const changed = change(tags)
    if (changed.length !== tags.length) await this.set(kind, id, changed, options)
  }
}

/** Neutron decodes a path before it takes it apart: a tag with a slash in it can only be set with all the others. */
function fitsPath(tag: string): boolean {
  return !tag.includes("/")
}

function tagPath(kind: TaggedKind, id: string, tag?: string): string {
  const tags = `/v2.0/${kind}/${encodeURIComponent(id)}/tags`
  return tag === undefined ? tags : `${tags}/${encodeURIComponent(tag)}`
}
