import { randomContract } from "../random.contract.ts"
import { systemRandom } from "./system-random.ts"

randomContract("system", systemRandom)
