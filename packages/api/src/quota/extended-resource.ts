import { checkLabelKey } from "../meta/label-names.ts"

/** Before the name of a device class: the extended resource that every class stands for. */
export const implicitDevices = "deviceclass.resource.kubernetes.io/"

const asked = "requests."

/** "nvidia.com/gpu": with a domain that is not Kubernetes' own; a quota must be able to name it. */
export function isExtendedResource(name: string): boolean {
  return isForeign(name) && !name.startsWith(asked) && checkLabelKey(`${asked}${name}`).length === 0
}

/** "requests.nvidia.com/gpu": what a quota calls an extended resource, which can only be asked for. Those of device classes are among them. */
export function isExtendedQuotaName(name: string): boolean {
  return name.startsWith(asked) && (isForeign(name) || name.startsWith(`${asked}${implicitDevices}`))
}

function isForeign(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/")
}
