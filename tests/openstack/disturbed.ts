import type { ContractFault } from "@pilothouse/cloud/contract"
import type { Connect } from "@pilothouse/openstack"
import { aborted, onAbort, PilothouseError, type Transport, type TransportRequest, type TransportResponse } from "@pilothouse/seams"

/** The way to a cloud, on which the next call can go wrong: what reaches the cloud is done there, or never gets there. */
export class DisturbedWay {
  readonly #connect: Connect
  #next: ContractFault | undefined

  constructor(connect: Connect) {
    this.#connect = connect
  }

  /** Logins are left alone, and so are reads, unless it hangs. */
  disturb(fault: ContractFault): void {
    this.#next = fault
  }

  readonly connect: Connect = (url) => {
    const transport = this.#connect(url)
    return (request) => this.#send(transport, request)
  }

  async #send(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
    const fault = this.#next
    const isMeant = !request.path.includes("/auth/") && (fault === "hang" || request.verb !== "GET")
    if (fault === undefined || !isMeant) return transport(request)
    this.#next = undefined
    if (fault === "hang") return hang(request.signal)
    if (fault === "lose-answer") await transport(request)
    throw new PilothouseError("CONNECTION_LOST", "the connection broke, because this test says so", { retryable: true })
  }
}

function hang(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    onAbort(signal, () => reject(signal === undefined ? undefined : aborted(signal)))
  })
}
