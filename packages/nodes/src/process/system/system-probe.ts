import type { ProbeHost } from "./spawn.ts"

/**
 * Asks ports of this host, as a kubelet asks those of its pods. Its modules are loaded only where pods are processes: in most clusters they are not.
 */
export const systemProbe: ProbeHost = {
  async tcp(host, port, signal) {
    const { connect } = await import("node:net")
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, signal })
      socket.once("error", reject)
      socket.once("connect", () => {
        socket.destroy()
        resolve()
      })
    })
  },
  async http(url, headers, signal) {
    const secure = url.startsWith("https:")
    const { get } = secure ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http")
    return new Promise((resolve, reject) => {
      // A kubelet does not ask who signed the certificate of a pod either, nor does it keep a connection that the process would have to drain.
      const request = get(url, { headers, signal, agent: false, ...(secure && { rejectUnauthorized: false }) }, (response) => {
        // The status is the whole answer: a body that does not end would hold the connection for as long as the process runs.
        response.destroy()
        const { statusCode = 0 } = response
        if (statusCode >= 200 && statusCode < 400) resolve()
        else reject(new Error(`HTTP probe failed with statuscode: ${statusCode}`))
      })
      request.once("error", reject)
    })
  },
}
