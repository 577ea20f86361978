import { fieldError } from "@pilothouse/api"
import type { ResourceQuota } from "@pilothouse/api/core/v1"
import { amountErrors, scopeErrors } from "../../validation/resource-quota.ts"
import type { ResourceStrategy } from "../resource.ts"

export const resourceQuota: ResourceStrategy<ResourceQuota> = {
  deleteAnswer: "object",
  validate: ({ spec }) => [...amountErrors(spec?.hard, "spec.hard"), ...scopeErrors(spec)],
  validateUpdate({ spec }, { spec: old }) {
    const [now, before] = [spec?.scopes ?? [], old?.scopes ?? []]
    const same = [...now].sort().join() === [...before].sort().join()
    return same ? [] : [fieldError.invalid("spec.scopes", now, "field is immutable")]
  },
  validateStatusUpdate: ({ status }) => [...amountErrors(status?.hard, "status.hard"), ...amountErrors(status?.used, "status.used")],
}
