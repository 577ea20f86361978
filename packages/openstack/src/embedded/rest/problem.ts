/** An answer that is a refusal, thrown by the part that refuses. The body is what the service it is of would say. */
export class Problem extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, message: string, body: unknown) {
    super(message)
    this.status = status
    this.body = body
  }
}

export function neutronProblem(status: number, type: string, message: string): Problem {
  return new Problem(status, message, { NeutronError: { type, message, detail: "" } })
}

export function octaviaProblem(status: number, message: string): Problem {
  return new Problem(status, message, { faultcode: status < 500 ? "Client" : "Server", faultstring: message, debuginfo: null })
}

export function unauthorized(): Problem {
  const message = "The request you have made requires authentication."
  return new Problem(401, message, { error: { code: 401, title: "Unauthorized", message } })
}

/** Returns the error of a service that a fault makes fail. */
export function injected(service: "keystone" | "neutron" | "octavia" | "nova", status: number): Problem {
  const message = "failure by a fault of the embedded cloud"
  if (service === "neutron") return neutronProblem(status, "InjectedFailure", message)
  if (service === "octavia") return octaviaProblem(status, message)
  return new Problem(status, message, { error: { code: status, title: "Injected", message } })
}
