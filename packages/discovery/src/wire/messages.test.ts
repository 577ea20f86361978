import protobuf from "protobufjs/light.js"
import { expect, test, vi } from "vitest"

test("what the types say is read when it is first needed, and once: a server asks its clusters before that", async () => {
  using reading = vi.spyOn(protobuf.Root, "fromJSON")
  // Other tests of this process may have the module already: a name of its own is another one.
  const file = "./messages.ts?unread"
  const { messageOf, messages, prepareMessages } = (await import(file)) as typeof import("./messages.ts")
  expect(reading).not.toHaveBeenCalled()
  prepareMessages()
  expect(reading).toHaveBeenCalledTimes(1)
  const bytes = messages.node.encode({ id: "web-1" })
  expect(messageOf("type.googleapis.com/envoy.config.core.v3.Node")?.decode(bytes)).toMatchObject({ id: "web-1" })
  expect(reading).toHaveBeenCalledTimes(1)
})
