import { deepEqual, formatTime, type KubeObject } from "@pilothouse/api"
import type { ServiceCIDR } from "@pilothouse/api/networking/v1"

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
export function readyServiceCidr(stored: KubeObject, range: string, now: number): ServiceCIDR | undefined {
  const found = stored as ServiceCIDR
  const isDecided = found.status?.conditions?.some(({ type, status }) => type === "Ready" && status !== "Unknown") === true
  if (isDecided || found.metadata.deletionTimestamp !== undefined || !deepEqual(found.spec?.cidrs, [range])) return undefined
  return { ...found, status: readyStatus(now) }
}

function readyStatus(now: number): ServiceCIDR["status"] {
  const message = "Kubernetes default Service CIDR is ready"
  return { conditions: [{ type: "Ready", status: "True", reason: "", message, lastTransitionTime: formatTime(now) }] }
}
