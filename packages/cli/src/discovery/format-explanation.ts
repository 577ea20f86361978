import type { Explanation } from "@pilothouse/discovery"
import { aligned } from "../client/table.ts"

/** The answer in a sentence, and a line for each endpoint that was looked at. */
export function formatExplanation({ answer, endpoints }: Explanation): string {
  const lines = endpoints.map(({ address, port, in: told, reason, source }) => [
    port === "" ? address : `${address}:${port}`,
    told ? "in" : "out",
    reason,
    source,
  ])
  return `${answer}\n${lines.length === 0 ? "" : `\n${aligned([["ENDPOINT", "", "BECAUSE", "FROM"], ...lines])}`}`
}
