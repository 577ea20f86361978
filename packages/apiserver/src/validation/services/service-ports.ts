import { checkDns1123Label, checkLabelKey, checkPortNumber, type FieldError, fieldError } from "@pilothouse/api"
import type { ServicePort, ServiceSpec } from "@pilothouse/api/core/v1"
import { duplicates, named, oneOf, repeats } from "../field-rules.ts"
import { portErrors as numberOrName } from "../pods/handler.ts"

export function servicePortErrors({ ports = [] }: ServiceSpec): readonly FieldError[] {
  return [
    ...ports.flatMap((port, index) => portErrors(port, ports.length > 1, `spec.ports[${index}]`)),
    ...duplicates(
      ports.map(({ name }) => name),
      (index) => `spec.ports[${index}].name`,
    ),
  ]
}

function portErrors(port: ServicePort, needsName: boolean, field: string): readonly FieldError[] {
  const name = port.name ?? ""
  return [
    ...(name === "" ? (needsName ? [fieldError.required(`${field}.name`)] : []) : named(name, checkDns1123Label, `${field}.name`)),
    ...checkPortNumber(port.port ?? 0).map((text) => fieldError.invalid(`${field}.port`, port.port ?? 0, text)),
    ...oneOf(port.protocol, ["SCTP", "TCP", "UDP"], `${field}.protocol`),
    ...(port.targetPort === undefined ? [] : numberOrName(port.targetPort, `${field}.targetPort`)),
    ...qualified(port.appProtocol, `${field}.appProtocol`),
  ]
}

export function qualified(name: string | undefined, field: string): readonly FieldError[] {
  return name === undefined ? [] : checkLabelKey(name).map((text) => fieldError.invalid(field, name, text))
}

/** Validates the node ports. That two ports have the same one is reported by the allocator where there is one, which comes first. */
export function nodePortErrors({ type, ports = [] }: ServiceSpec): readonly FieldError[] {
  const again = repeats(ports.map(({ nodePort, protocol }) => `${nodePort}/${protocol}`))
  const given = ports.flatMap(({ nodePort = 0 }, index) =>
    nodePort === 0 ? [] : [{ nodePort, index, field: `spec.ports[${index}].nodePort` }],
  )
  return [
    ...(type === "ClusterIP" ? given : []).map(({ field }) => fieldError.forbidden(field, "may not be used when `type` is 'ClusterIP'")),
    ...given.flatMap(({ nodePort, index, field }) => (again[index] ? [fieldError.duplicate(field, nodePort)] : [])),
  ]
}

export function sharedPortErrors({ ports = [] }: ServiceSpec): readonly FieldError[] {
  const again = repeats(ports.map(({ port, protocol }) => `${port}/${protocol}`))
  return ports.flatMap(({ port, protocol }, index) =>
    again[index] ? [fieldError.duplicate(`spec.ports[${index}]`, inGo(protocol, port))] : [],
  )
}

/** As Go has it in memory, with what is compared. */
function inGo(protocol: string | undefined, port: number): unknown {
  return { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }
}
