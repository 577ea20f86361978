import { compareAmounts, isZeroAmount, parseQuantity } from "@pilothouse/api"
import type { Container, Pod } from "@pilothouse/api/core/v1"

const counted = ["cpu", "memory"] as const

/** How a node treats the pod when it runs short: guaranteed who asks for exactly what it may use, best effort who asks for nothing. */
export function qosClass({ spec }: Pod): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  const asks = containers.some(({ resources }) =>
    counted.some((name) => given(resources?.requests?.[name]) || given(resources?.limits?.[name])),
  )
  if (!asks) return "BestEffort"
  return containers.every(isGuaranteed) ? "Guaranteed" : "Burstable"
}

function given(quantity: string | undefined): boolean {
  return quantity !== undefined && !isZeroAmount(parseQuantity(quantity))
}

function isGuaranteed({ resources }: Container): boolean {
  return counted.every((name) => {
    const limit = resources?.limits?.[name]
    const request = resources?.requests?.[name] ?? limit
    return given(limit) && request !== undefined && compareAmounts(parseQuantity(request), parseQuantity(limit!)) === 0
  })
}
