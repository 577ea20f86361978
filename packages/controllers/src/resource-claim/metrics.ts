import { keyOf } from "@pilothouse/api"
import type { ResourceClaim } from "@pilothouse/api/resource/v1"
import type { Change, ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, gaugeFamily } from "../shared/metric-families.ts"
import { ObjectCountGauge } from "../shared/object-count-gauge.ts"
import { podClaimName } from "./claims-of-pod.ts"

const subsystem = "resourceclaim_controller"

export const resourceClaimFamilies = {
  creates: counterFamily(`${subsystem}_creates_total`, ["status", "admin_access"], "Claims that were requested from templates"),
  claims: gaugeFamily(`${subsystem}_resource_claims`, ["allocated", "admin_access", "source"], "Claims, by where they come from"),
}

export function resourceClaimMetrics(metrics: Metrics): (key: string, end: ReconcileResult) => void {
  const { creates } = createMetrics(metrics, { creates: resourceClaimFamilies.creates })
  return (_key, { results }) => {
    for (const { operation, ok } of results) {
      if (operation.do !== "create" || ok === "skipped") continue
      creates.add(1, { status: ok ? "success" : "failure", admin_access: String(asksAsAdmin(operation.object as ResourceClaim)) })
    }
  }
}

/** Shows how many claims there are. Invariant: each claim of the cache is counted once, as it was last seen. */
export class ClaimCounts {
  readonly #gauge: ObjectCountGauge

  constructor(metrics: Metrics) {
    this.#gauge = new ObjectCountGauge(createMetrics(metrics, { claims: resourceClaimFamilies.claims }).claims)
  }

  restart(): void {
    this.#gauge.restart()
  }

  changed({ type, object }: Change<ResourceClaim>): void {
    this.#gauge.set(keyOf(object), type === "deleted" ? undefined : labelsOf(object))
  }
}

function labelsOf(claim: ResourceClaim): Readonly<Record<string, string>> {
  return {
    allocated: String(claim.status?.allocation !== undefined),
    admin_access: String(asksAsAdmin(claim)),
    source: sourceOf(claim),
  }
}

function sourceOf({ metadata: { annotations } }: ResourceClaim): string {
  if (annotations?.["resource.kubernetes.io/extended-resource-claim"] === "true") return "extended_resource"
  return annotations?.[podClaimName] === undefined ? "" : "resource_claim_template"
}

function asksAsAdmin({ spec }: ResourceClaim): boolean {
  return (spec.devices?.requests ?? []).some(({ exactly }) => exactly?.adminAccess === true)
}
