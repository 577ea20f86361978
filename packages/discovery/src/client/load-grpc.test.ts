import { expect, test } from "vitest"
import { loadGrpc } from "./watch-host.ts"

function notFound(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from watch-host.js`), { code: "ERR_MODULE_NOT_FOUND" })
}

test("says what to install where the gRPC client is not installed", async () => {
  await expect(loadGrpc(() => Promise.reject(notFound("@grpc/grpc-js")))).rejects.toMatchObject({
    code: "USAGE",
    message: "expected the package @grpc/grpc-js, found none; install it beside Pilothouse: npm install @grpc/grpc-js",
  })
})

test.each([notFound("long"), new Error("broken")])("keeps any other failure: %s", async (failure) => {
  await expect(loadGrpc(() => Promise.reject(failure))).rejects.toBe(failure)
})

test("loads it where it is installed", async () => {
  expect(await loadGrpc()).toHaveProperty("Client")
})
