import type { Filter } from "./filter.ts"
import { forNow } from "./refuse.ts"

const refusal = forNow("node(s) didn't have free ports for the requested pod ports")

export const hostPorts: Filter = ({ pod }) =>
  pod.ports.length === 0 ? undefined : ({ ports }) => (ports.areFree(pod.ports) ? undefined : refusal)
