import type { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from "@pilothouse/api/resource/v1"
import { ageColumn, nameColumn, text } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

const resourceClaim = printer<ResourceClaim>(nameColumn, text("State", stateText), ageColumn)

function stateText({ metadata, status }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp !== undefined
  const states = deleted ? ["deleted"] : []
  if (status?.allocation === undefined) return deleted ? "deleted" : "pending"
  states.push("allocated")
  if (status.reservedFor?.length) states.push("reserved")
  return states.join(",")
}

const resourceSlice = printer<ResourceSlice>(
  nameColumn,
  text("Node", ({ spec }) => spec.nodeName),
  text("Driver", ({ spec }) => spec.driver),
  text("Pool", ({ spec }) => spec.pool.name),
  ageColumn,
)

export const resourceClaimPrinters: Readonly<Record<string, Printer<never>>> = {
  "resource.k8s.io/DeviceClass": printer<DeviceClass>(nameColumn, ageColumn),
  "resource.k8s.io/ResourceClaim": resourceClaim,
  "resource.k8s.io/ResourceClaimTemplate": printer<ResourceClaimTemplate>(nameColumn, ageColumn),
  "resource.k8s.io/ResourceSlice": resourceSlice,
}
