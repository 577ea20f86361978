import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import { abortable, type Clock, closest, PilothouseError } from "@pilothouse/seams"
import type { CallOptions } from "../options.ts"
import type { Sender } from "../sender.ts"
import { aggregatedTypes, fromAggregated, isAggregated, staleVersions } from "./aggregated.ts"
import { legacyResources } from "./legacy.ts"

/** A custom resource shows up in discovery about a second after its definition; asking more often than this brings nothing. */
const minInterval = 5000

/** A group and version that did not say what it has. */
export interface FailedGroup {
  /** "metrics.k8s.io/v1beta1" */
  readonly groupVersion: string
  readonly message: string
}

export interface DiscoverOptions extends CallOptions {
  /** Milliseconds; an answer that is younger will do. None will unless told otherwise. */
  readonly youngerThan?: number
}

/** What one look at the server brought. */
export interface Discovered {
  readonly resources: readonly Descriptor[]
  readonly failed: readonly FailedGroup[]
}

/**
 * What resources a server has. Always true between calls: at most one look at the server is under way; what is known is one look's answer, whole.
 */
export class Discovery {
  readonly #sender: Sender
  readonly #clock: Pick<Clock, "elapsed"> | undefined
  #last: Discovered | undefined
  #refreshedAt: number | undefined
  #refreshing: Promise<Discovered> | undefined

  constructor(sender: Sender, clock?: Pick<Clock, "elapsed">) {
    this.#sender = sender
    this.#clock = clock
  }

  /** By what an object says of itself. Looks again for a kind it does not know, but not every time. */
  async find(apiVersion: string, kind: string, options: CallOptions = {}): Promise<Descriptor> {
    const matches = (descriptor: Descriptor) => descriptor.kind === kind && apiVersionOf(descriptor) === apiVersion
    const [found] = await this.#matching(matches, options)
    if (found === undefined) throw unknownKind(apiVersion, kind, this.#last?.resources ?? [])
    return found
  }

  /** Every version of a kind, in the server's order. Looks again for a kind it does not know, but not every time. */
  versionsOf(group: string, kind: string, options: CallOptions = {}): Promise<readonly Descriptor[]> {
    return this.#matching((descriptor) => descriptor.kind === kind && descriptor.group === group, options)
  }

  /** Looks now; callers at the same time share one look. One who leaves does not end it for the others. */
  refresh({ signal, youngerThan = 0 }: DiscoverOptions = {}): Promise<Discovered> {
    if (this.#last !== undefined && this.#age() < youngerThan) return abortable(Promise.resolve(this.#last), signal)
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined
    })
    return abortable(this.#refreshing, signal)
  }

  async #matching(matches: (descriptor: Descriptor) => boolean, options: CallOptions): Promise<readonly Descriptor[]> {
    const known = this.#last?.resources.filter(matches) ?? []
    if (known.length > 0) return known
    return (await this.refresh({ ...options, youngerThan: minInterval })).resources.filter(matches)
  }

  #age(): number {
    if (this.#refreshedAt === undefined || this.#clock === undefined) return Number.POSITIVE_INFINITY
    return this.#clock.elapsed() - this.#refreshedAt
  }

  async #fetch(): Promise<Discovered> {
    const [core, groups] = await Promise.all([this.#resourcesAt("/api"), this.#resourcesAt("/apis")])
    this.#last = { resources: [...core.resources, ...groups.resources], failed: [...core.failed, ...groups.failed] }
    this.#refreshedAt = this.#clock?.elapsed()
    return this.#last
  }

  async #resourcesAt(path: "/api" | "/apis"): Promise<Discovered> {
    const answer = await this.#sender.other<{ readonly kind: string }>({ verb: "GET", path, headers: { accept: aggregatedTypes } })
    if (!isAggregated(answer)) return legacyResources(this.#sender, answer)
    return { resources: fromAggregated(answer), failed: staleVersions(answer) }
  }
}

function unknownKind(apiVersion: string, kind: string, resources: readonly Descriptor[]): PilothouseError {
  const elsewhere = resources.filter((descriptor) => descriptor.kind === kind).map(apiVersionOf)
  const alike = nearestKind(apiVersion, kind, resources)
  const hint =
    elsewhere.length > 0
      ? `it has ${kind} in ${elsewhere.join(", ")}; use that apiVersion`
      : alike === undefined
        ? "check the spelling, or install the CustomResourceDefinition"
        : `did you mean ${alike}?`
  return new PilothouseError("INVALID", `expected a kind that the server has, found ${apiVersion} ${kind}; ${hint}`)
}

/** "Deployment", or with its apiVersion where that is another one: rather one that needs no second change. */
function nearestKind(apiVersion: string, kind: string, resources: readonly Descriptor[]): string | undefined {
  const isHere = (one: Descriptor) => apiVersionOf(one) === apiVersion
  // Few slip at the first letter: a Gadget is no Widget, but a kind whose definition is missing.
  const alike = resources.filter((one) => one.kind[0]?.toLowerCase() === kind[0]?.toLowerCase())
  const near = (among: readonly Descriptor[]) => {
    const names = among.map((one) => one.kind.toLowerCase())
    return among[names.indexOf(closest(kind.toLowerCase(), names) ?? "")]
  }
  const found = near(alike.filter(isHere)) ?? near(alike)
  return found && (isHere(found) ? found.kind : `${found.kind} of ${apiVersionOf(found)}`)
}
