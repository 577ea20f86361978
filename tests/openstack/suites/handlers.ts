import { handlersContract } from "@pilothouse/openstack/contracts/handlers"
import { onRealCloud } from "../on-real-cloud.ts"

handlersContract("real", onRealCloud)
