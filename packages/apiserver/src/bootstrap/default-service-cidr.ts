import { deepEqual, formatTime, type KubeObject } from "@pilothouse/api"
import type { ServiceCIDR } from "@pilothouse/api/networking/v1"
import type { AppliedStatus } from "../objects/owned-by-server.ts"
import type { Amended } from "./wanted.ts"

/** The name of the ServiceCIDR that has the range of --service-cluster-ip-range. */
export const defaultServiceCidrName = "kubernetes"

export function defaultServiceCidr(range: string, now: number): ServiceCIDR {
  return {
    kind: "ServiceCIDR",
    apiVersion: "networking.k8s.io/v1",
    metadata: { name: defaultServiceCidrName },
    spec: { cidrs: [range] },
    status: readyStatus(now),
  }
}

/**
 * Returns the default ServiceCIDR with the condition Ready, so that Services get addresses before a controller runs; undefined where it has one, is being
 * deleted, or has another range than the flag says: an administrator has to decide then.
 */
export function readyServiceCidr(stored: KubeObject, range: string, now: number): Amended | undefined {
  const found = stored as ServiceCIDR
  const isDecided = found.status?.conditions?.some(({ type, status }) => type === "Ready" && status !== "Unknown") === true
  if (isDecided || found.metadata.deletionTimestamp !== undefined || !deepEqual(found.spec?.cidrs, [range])) return undefined
  const object: ServiceCIDR = { ...found, status: readyStatus(now) }
  return { object, applied: appliedReady(now) }
}

/** Upstream's controller applies the condition, without a reason. */
export function appliedReady(now: number): AppliedStatus {
  return { manager: "kubernetes-service-cidr-controller", status: { conditions: [readyCondition(now)] } }
}

function readyStatus(now: number): ServiceCIDR["status"] {
  return { conditions: [{ ...readyCondition(now), reason: "" }] }
}

function readyCondition(now: number) {
  const message = "Kubernetes default Service CIDR is ready"
  return { type: "Ready", status: "True", message, lastTransitionTime: formatTime(now) } as const
}
