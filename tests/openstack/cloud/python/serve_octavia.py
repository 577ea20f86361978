"""Octavia's API and its worker in one process: messages go through memory, so no broker is needed."""
import socketserver
import sys
from wsgiref import simple_server

from octavia.api import app

application = app.setup_app(argv=sys.argv)  # first: it reads the configuration that the imports below need

import oslo_messaging  # noqa: E402
from octavia.common import constants, rpc  # noqa: E402
from octavia.controller.queue.v2 import endpoints  # noqa: E402
from oslo_config import cfg  # noqa: E402

from pilothouse_knobs import Gate  # noqa: E402
from pilothouse_mended import mend  # noqa: E402


class Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass  # the gate writes log/access.log


mend()
target = oslo_messaging.Target(topic=constants.TOPIC_AMPHORA_V2, server='one', fanout=False)
rpc.get_server(target, [endpoints.Endpoints()], executor='threading').start()
place = cfg.CONF.api_settings
simple_server.make_server(place.bind_host, place.bind_port, Gate(application, 'octavia'), Server, Handler).serve_forever()
