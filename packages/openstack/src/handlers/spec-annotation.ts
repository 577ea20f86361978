import { decodeServiceSpec, encodeServiceSpec } from "../versioned-objects/annotations.ts"
import type { ServiceSpec } from "./annotations.ts"

export function decodeSpec(text: string): ServiceSpec {
  const { ip, ports, project_id, subnet_id, security_groups_ids } = decodeServiceSpec(text)
  return {
    ip: ip ?? "",
    ports: ports.map(({ name, protocol, port }) => ({ name, protocol, port })),
    project: project_id ?? "",
    subnet: subnet_id ?? "",
    groups: security_groups_ids,
  }
}

export function encodeSpec({ ip, ports, project, subnet, groups }: ServiceSpec): string {
  return encodeServiceSpec({ ip, ports, project_id: project, subnet_id: subnet, security_groups_ids: groups })
}
