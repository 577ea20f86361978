import type { Service } from "@pilothouse/api/core/v1"
import { formatCidr, parseCidr } from "@pilothouse/api/net"
import { CloudError } from "@pilothouse/cloud"

const annotation = "service.beta.kubernetes.io/load-balancer-source-ranges"

/** The allowed sources: those of the spec, else of the annotation, else all. Written as the cloud writes ranges, and each once. */
export function sourceRanges({ spec, metadata }: Service): readonly string[] {
  const specified = spec?.loadBalancerSourceRanges ?? []
  if (specified.length > 0) {
    const where = `service.Spec.LoadBalancerSourceRanges: [${specified.join(" ")}]`
    return plain(specified, `${where} is not valid. Expecting a list of IP ranges. For example, 10.0.0.0/24.`)
  }
  const annotated = metadata.annotations?.[annotation]?.trim() || anySource(spec?.ipFamilies?.[0])
  const expecting = "Expecting a comma-separated list of source IP ranges. For example, 10.0.0.0/24,192.168.2.0/24"
  return plain(annotated.split(","), `${annotation}: ${annotated} is not valid. ${expecting}`)
}

function anySource(family: string | undefined): string {
  return family === "IPv6" ? "::/0" : "0.0.0.0/0"
}

function plain(ranges: readonly string[], complaint: string): readonly string[] {
  return [...new Set(ranges.map((range) => plainRange(range, complaint)))]
}

/** 10.1.2.3/8 is 10.0.0.0/8: otherwise what the cloud answers would differ from what is wanted, for ever. */
function plainRange(text: string, complaint: string): string {
  const range = parseCidr(text.trim())
  if (range === undefined) throw new CloudError(complaint, { retryable: false })
  return formatCidr(range)
}
