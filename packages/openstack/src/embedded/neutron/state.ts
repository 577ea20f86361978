import type { Clock, Random } from "@pilothouse/seams"
import type * as wire from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"

/** What every row of Neutron has. */
export interface NeutronRow {
  readonly id: string
  readonly project_id: string
  readonly tags: readonly string[]
  readonly revision_number: number
}

/** Rows of one kind. A row is never changed, only replaced, so that an answer stays what it was. */
export class Table<Row extends NeutronRow> {
  readonly #rows = new Map<string, Row>()
  readonly #notFound: (id: string) => Error

  constructor(notFound: (id: string) => Error) {
    this.#notFound = notFound
  }

  get(id: string): Row {
    const row = this.#rows.get(id)
    if (row === undefined) throw this.#notFound(id)
    return row
  }

  find(id: string): Row | undefined {
    return this.#rows.get(id)
  }

  put(row: Row): Row {
    const frozen = Object.freeze(row)
    this.#rows.set(row.id, frozen)
    return frozen
  }

  /** Every change counts the revision up. */
  change(id: string, change: Partial<Row>): Row {
    const row = this.get(id)
    return this.put({ ...row, ...change, revision_number: row.revision_number + 1 })
  }

  delete(id: string): boolean {
    return this.#rows.delete(id)
  }

  values(): IterableIterator<Row> {
    return this.#rows.values()
  }

  get size(): number {
    return this.#rows.size
  }

  count(project: string): number {
    let count = 0
    for (const row of this.#rows.values()) if (row.project_id === project) count++
    return count
  }
}

const gone = (type: string, words: (id: string) => string) => (id: string) => neutronProblem(404, type, words(id))
const couldNot = (what: string) => (id: string) => `${what} ${id} could not be found.`

/** The rows of groups are stored without their rules, which have a table of their own. */
export type SecurityGroupRow = Omit<wire.SecurityGroup, "security_group_rules">
export type SecurityGroupRuleRow = wire.SecurityGroupRule & NeutronRow

/** Everything that Neutron remembers. */
export class NeutronState {
  readonly networks = new Table<wire.Network>(gone("NetworkNotFound", couldNot("Network")))
  readonly subnets = new Table<wire.Subnet>(gone("SubnetNotFound", couldNot("Subnet")))
  readonly ports = new Table<wire.Port>(gone("PortNotFound", couldNot("Port")))
  readonly trunks = new Table<wire.Trunk>(gone("TrunkNotFound", couldNot("Trunk")))
  readonly securityGroups = new Table<SecurityGroupRow>(gone("SecurityGroupNotFound", (id) => `Security group ${id} does not exist`))
  readonly rules = new Table<SecurityGroupRuleRow>(gone("SecurityGroupRuleNotFound", (id) => `Security group rule ${id} does not exist`))
  readonly floatingIps = new Table<wire.FloatingIp>(gone("FloatingIPNotFound", (id) => `Floating IP ${id} could not be found`))
  readonly routers = new Table<wire.Router>(gone("RouterNotFound", couldNot("Router")))
  /** The subnets that a router joins. */
  readonly routerSubnets = new Map<string, Set<string>>()
  /** By subnet: which addresses are given out. */
  readonly addresses = new Map<string, Set<string>>()
  /** By subnet: where the search for a free address goes on. */
  readonly cursors = new Map<string, bigint>()
  /** By port that is on a trunk: the trunk. */
  readonly trunkOfSubport = new Map<string, string>()
  readonly trunkOfParent = new Map<string, string>()
  /** By project and resource; -1 or none: no limit. */
  readonly quotas = new Map<string, Map<string, number>>()
  readonly clock: Clock
  readonly random: Random

  constructor(clock: Clock, random: Random) {
    this.clock = clock
    this.random = random
  }

  /** What every new row begins with. */
  fresh(project: string): NeutronRow & { readonly tenant_id: string; readonly created_at: string; readonly description: string } {
    const created_at = new Date(this.clock.now()).toISOString().replace(/\.\d+Z$/, "Z")
    return { id: this.random.uuid(), project_id: project, tenant_id: project, tags: [], revision_number: 0, created_at, description: "" }
  }
}
