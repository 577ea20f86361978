import type { LimitRange, LimitRangeItem } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { limitRangeErrors } from "../../validation/limit-range.ts"
import type { ResourceStrategy } from "../resource.ts"

export const limitRange: ResourceStrategy<LimitRange> = {
  createOnUpdate: true,
  validate: limitRangeErrors,
  defaults({ spec }) {
    for (const item of spec?.limits ?? []) if (item.type === "Container") defaultLimits(item)
  },
}

/** What is left out follows from what is said: the default from the maximum, the request from the default or the minimum. */
function defaultLimits(item: Draft<LimitRangeItem>): void {
  const limits = { ...item.max, ...item.default }
  if (Object.keys(limits).length > 0) item.default = limits
  const requests = { ...item.min, ...item.default, ...item.defaultRequest }
  // The default wins over the minimum, an explicit request over both.
  if (Object.keys(requests).length > 0) item.defaultRequest = requests
}
