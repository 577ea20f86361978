import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import { abortable, type Clock, PilothouseError } from "@pilothouse/seams"
import { aggregatedTypes, fromAggregated, isAggregated, staleVersions } from "./discovery-aggregated.ts"
import { legacyResources } from "./discovery-legacy.ts"
import type { CallOptions } from "./options.ts"
import type { Sender } from "./sender.ts"

/** A custom resource shows up in discovery about a second after its definition; asking more often than this brings nothing. */
const leastBetween = 5000

/** A group and version that did not say what it has. */
export interface FailedGroup {
  /** "metrics.k8s.io/v1beta1" */
  readonly groupVersion: string
  readonly message: string
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
  #known: readonly Descriptor[] = []
  #looked: number | undefined
  #looking: Promise<Discovered> | undefined

  constructor(sender: Sender, clock?: Pick<Clock, "elapsed">) {
    this.#sender = sender
    this.#clock = clock
  }

  /** By what an object says of itself. Looks again for a kind it does not know, but not every time. */
  async find(apiVersion: string, kind: string, options: CallOptions = {}): Promise<Descriptor> {
    const matches = (descriptor: Descriptor) => descriptor.kind === kind && apiVersionOf(descriptor) === apiVersion
    const known = this.#known.find(matches)
    if (known !== undefined) return known
    const resources = this.#fresh() ? this.#known : (await this.refresh(options)).resources
    const found = resources.find(matches)
    if (found === undefined) throw unknownKind(apiVersion, kind, resources)
    return found
  }

  /** Looks now; callers at the same time share one look. One who leaves does not end it for the others. */
  refresh({ signal }: CallOptions = {}): Promise<Discovered> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return abortable(this.#looking, signal)
  }

  #fresh(): boolean {
    if (this.#looked === undefined || this.#clock === undefined) return false
    return this.#clock.elapsed() - this.#looked < leastBetween
  }

  async #look(): Promise<Discovered> {
    const [core, groups] = await Promise.all([this.#resourcesAt("/api"), this.#resourcesAt("/apis")])
    this.#known = [...core.resources, ...groups.resources]
    this.#looked = this.#clock?.elapsed()
    return { resources: this.#known, failed: [...core.failed, ...groups.failed] }
  }

  async #resourcesAt(path: "/api" | "/apis"): Promise<Discovered> {
    const answer = await this.#sender.other<{ readonly kind: string }>({ verb: "GET", path, headers: { accept: aggregatedTypes } })
    if (!isAggregated(answer)) return legacyResources(this.#sender, answer)
    return { resources: fromAggregated(answer), failed: staleVersions(answer) }
  }
}

function unknownKind(apiVersion: string, kind: string, resources: readonly Descriptor[]): PilothouseError {
  const elsewhere = resources.filter((descriptor) => descriptor.kind === kind).map(apiVersionOf)
  const alike = resources.find((one) => one.kind.toLowerCase() === kind.toLowerCase() && one.kind !== kind)?.kind
  const hint =
    elsewhere.length > 0
      ? `it has ${kind} in ${elsewhere.join(", ")}; use that apiVersion`
      : alike === undefined
        ? "check the spelling, or install the CustomResourceDefinition"
        : `did you mean ${alike}?`
  return new PilothouseError("INVALID", `expected a kind that the server has, found ${apiVersion} ${kind}; ${hint}`)
}
