import { checkPortName, checkPortNumber, type FieldError, fieldError } from "@pilothouse/api"
import type { LifecycleHandler, Probe } from "@pilothouse/api/core/v1"

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">

const kinds = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const

/** Validates the handler of a probe or a hook: exactly one action. */
export function handlerErrors(handler: Handler, field: string): readonly FieldError[] {
  const given = kinds.filter((kind) => handler[kind] !== undefined)
  return [
    ...(given.length === 0 ? [fieldError.required(field, "must specify a handler type")] : []),
    ...given.slice(1).map((kind) => fieldError.forbidden(`${field}.${kind}`, "may not specify more than 1 handler type")),
    ...(handler.httpGet === undefined ? [] : portErrors(handler.httpGet.port, `${field}.httpGet.port`)),
    ...(handler.tcpSocket === undefined ? [] : portErrors(handler.tcpSocket.port, `${field}.tcpSocket.port`)),
  ]
}

/** Validates a port, which is a number or a name. */
export function portErrors(port: number | string | undefined, field: string): readonly FieldError[] {
  const wrong = typeof port === "string" ? checkPortName(port) : checkPortNumber(port ?? 0)
  return wrong.map((text) => fieldError.invalid(field, port ?? 0, text))
}
