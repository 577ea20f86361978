import { descriptor } from "../descriptor.ts"
import { taintEvictionController } from "./controller.ts"

export const taintEvictionDescriptor = descriptor({
  name: "taint-eviction-controller",
  create: (_set, { metrics }) => taintEvictionController({ metrics }),
})
