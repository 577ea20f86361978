from keystone.server.wsgi import initialize_public_application

from pilothouse_knobs import Gate

application = Gate(initialize_public_application(), 'keystone')
